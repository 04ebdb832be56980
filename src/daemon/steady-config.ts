import { existsSync } from 'node:fs';
import path from 'node:path';
import type { LoadedConfig } from '../adapters/files/config-files.ts';
import { LoopwrightError } from '../core/error.ts';

/**
 * The configuration files that were read while a project is open. One that is not there any more is a mistake (`config.gone`), not
 * a wish for the defaults: loops keep what they have until it is back or what runs here is started anew.
 */
export class SteadyConfig {
  /** By folder: each has one, under one of two names. */
  readonly #files = new Map<string, string>();

  constructor(first: LoadedConfig) {
    this.note(first);
  }

  note({ files }: LoadedConfig): void {
    for (const file of files) this.#files.set(path.dirname(file.path), file.path);
  }

  /** Throws when one that was read is gone. */
  require(): void {
    for (const file of this.#files.values()) {
      const { dir, name } = path.parse(file);
      const names = [`${name}.yml`, `${name}.yaml`];
      if (!names.some((each) => existsSync(path.join(dir, each)))) throw isGone(file);
    }
  }
}

function isGone(file: string): LoopwrightError {
  return new LoopwrightError('config.gone', `${file} is gone`, {
    hint: 'put it back; or, to work without it, stop what runs here and start it again',
  });
}

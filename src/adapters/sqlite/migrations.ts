import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import path from 'node:path';
import { LoopwrightError } from '../../core/error.ts';

export type Migration = {
  readonly version: number;
  readonly name: string;
  /** Reads the script; most starts need none. */
  sql(): string;
};

/**
 * The migrations in a folder, oldest first. They are `NNN-name.sql`, numbered from 1 without gaps.
 * By default they lie beside this file; a build copies the folder to `dist/migrations`, beside its bundle, and puts an empty
 * store with them (`new-store.ts`).
 */
export function loadMigrations(folder: string = shippedMigrations()): readonly Migration[] {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .toSorted();
  return names.map((name, index) => {
    const version = Number.parseInt(name, 10);
    if (version !== index + 1) {
      throw new LoopwrightError(
        'store.migrations',
        `${name} in ${folder} is not numbered ${index + 1}`,
      );
    }
    const sql = (): string => readFileSync(path.join(folder, name), 'utf8');
    return { version, name: path.basename(name, '.sql'), sql };
  });
}

/** The folder of the migrations that belong to this program. */
export function shippedMigrations(): string {
  // A bundle may put this code one folder deeper than `dist`.
  const candidates = ['./migrations/', '../migrations/'].map((relative) =>
    fileURLToPath(new URL(relative, import.meta.url)),
  );
  const folder = candidates.find((candidate) => existsSync(candidate));
  if (folder !== undefined) return folder;
  throw new LoopwrightError('store.migrations', `no migrations in ${candidates.join(' or ')}`, {
    hint: 'The installation is incomplete; install Loopwright again.',
  });
}

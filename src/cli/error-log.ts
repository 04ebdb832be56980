import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inspect } from 'node:util';
import type { CliContext } from './context.ts';
import { privateFolder } from '../adapters/files/private-state.ts';
import { ownStateDir } from './own-state-dir.ts';
import { createRedactor } from '../core/redact/redact-values.ts';
import { redactText } from '../protocol/redact-text.ts';

/** Writes the whole error to a file of the project, or of the temp folder where there is no state folder. Null when that fails too. */
export async function writeErrorLog(
  error: unknown,
  context: CliContext,
  argv: readonly string[],
): Promise<string | null> {
  const time = new Date(context.clock.now()).toISOString();
  const text = [
    `loopwright ${context.version}, ${time}`,
    `command: ${argv.map((word) => JSON.stringify(word)).join(' ')}`,
    inspect(error, { depth: 6 }),
    '',
  ].join('\n');
  const name = `error-${time.replaceAll(/[:.]/g, '-')}.log`;
  const state = ownStateDir(context);
  const clean = (found: string): string =>
    redactText(context.env)(createRedactor(context.env)(found));
  const folders = state === null ? [tmpdir()] : [path.join(state, 'log'), tmpdir()];
  for (const folder of folders) {
    const file = path.join(folder, folder === tmpdir() ? `loopwright-${name}` : name);
    try {
      await mkdir(folder, { recursive: true, mode: privateFolder });
      await writeFile(file, clean(text), { mode: 0o600, flag: 'wx' });
      return file;
    } catch {
      // The next folder is tried; without any the message alone must do.
    }
  }
  return null;
}

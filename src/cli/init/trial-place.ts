import { existsSync } from 'node:fs';
import { readdir, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { stateFolderName } from '../../adapters/files/folder-state.ts';

/** Where worktrees of loops lie, which is where one is tried: programs look for packages in the folders above. */
export type TrialPlace = AsyncDisposable & {
  /** Absolute. */
  readonly folder: string;
};

/** Folders that are made for the trial go away with it, if they are empty then. */
export function openTrialPlace(root: string, dir: string | null): TrialPlace {
  const state = path.join(root, stateFolderName);
  const folder = path.resolve(root, dir ?? path.join(state, 'worktrees'));
  const isOutside = dir !== null;
  const [hadFolder, hadState] = [existsSync(folder), existsSync(state)];
  return {
    folder,
    async [Symbol.asyncDispose]() {
      if (!hadFolder) await removeEmpty(folder);
      if (hadState || isOutside) return;
      const names = await readdir(state).catch(() => null);
      // Another program may have begun to work here meanwhile.
      if (names?.every((name) => name === '.gitignore') === true) {
        await rm(path.join(state, '.gitignore'), { force: true });
        await removeEmpty(state);
      }
    },
  };
}

async function removeEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    // What is not there need not go, and what is in use stays.
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code !== 'ENOENT' && code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
  }
}

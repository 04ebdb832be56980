import { realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { stateFolderName } from '../adapters/files/folder-state.ts';
import { folderIdentity } from '../adapters/files/own-folder.ts';
import { callingLoop } from './calling-loop.ts';
import type { CliContext } from './context.ts';

/**
 * The state folder of the project a command is called in, as `openProject` would choose it: that of the git repository around the
 * folder, else that of the folder itself. One that lies further up, such as in a home folder in which a command was once run,
 * belongs to another project. Only looks, and starts no git. Null when the project has none.
 */
export function ownStateDir(
  context: Pick<CliContext, 'cwd' | 'env' | 'insideLoop'>,
): string | null {
  const cwd = callingLoop(context)?.root ?? context.cwd;
  const folder = path.join(checkoutAround(cwd) ?? cwd, stateFolderName);
  return folderIdentity(folder) === null ? null : folder;
}

function checkoutAround(cwd: string): string | null {
  for (let folder = real(cwd); ; folder = path.dirname(folder)) {
    if (isCheckout(path.join(folder, '.git'))) return folder;
    if (folder === path.dirname(folder)) return null;
  }
}

/** A git folder, or the file that leads to one from a linked worktree or a submodule. */
function isCheckout(dotGit: string): boolean {
  const found = look(dotGit);
  return found?.isFile() === true || look(path.join(dotGit, 'HEAD'))?.isFile() === true;
}

/** Null also for what cannot be looked at. */
function look(file: string) {
  try {
    return statSync(file, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

/** As it is given when it is gone. */
function real(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return path.resolve(folder);
  }
}

import { lstatSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { LoopwrightError } from '../../core/error.ts';
import { privateFolder } from './private-state.ts';

/**
 * An agent without walls can put anything in the place of a folder the engine has made: a link to the user's files, or those
 * files themselves. So a folder counts as the engine's only while its path, without following a link, names the very folder
 * that was there when it was made or opened. A look costs some microseconds.
 */
export type OwnFolders = {
  /** The first one that is gone or is another one now; null when all are as they were. */
  firstLost(): string | null;
};

/** `same` must stay what they are now; `real` may be absent, but never a link or anything else than a folder. */
export function watchFolders(same: readonly string[], real: readonly string[] = []): OwnFolders {
  const seen = same.map((folder) => ({ folder, identity: folderIdentity(folder) }));
  return {
    firstLost() {
      for (const { folder, identity } of seen) {
        if (identity === null || folderIdentity(folder) !== identity) return folder;
      }
      return real.find((folder) => standsInTheWay(folder)) ?? null;
    },
  };
}

/** Device and inode of a folder; null when there is none, also when a link to one is in its place. */
export function folderIdentity(folder: string): string | null {
  const found = look(folder);
  return found?.isDirectory() === true ? `${found.dev}:${found.ino}` : null;
}

/** Whether something that is not a folder has a folder's place. */
export function standsInTheWay(folder: string): boolean {
  const found = look(folder);
  return found !== null && !found.isDirectory();
}

/** The first step from `root` (left out) down to `folder` that is something else than a folder; null when there is none. */
export function firstInTheWay(root: string, folder: string): string | null {
  return stepsBelow(root, folder).find((step) => standsInTheWay(step)) ?? null;
}

/**
 * Makes a folder and those above it, below `root`, for the user alone. A link in the way is removed, never followed; it holds nothing itself. The root is
 * not made: one that is gone was moved or deleted while it was in use, and nothing may be written at its old path.
 */
export function makeFolders(root: string, folder: string): void {
  if (look(root) === null) throw goneRoot(root);
  for (const step of stepsBelow(root, folder)) {
    const found = look(step);
    if (found?.isDirectory() === true) continue;
    if (found?.isSymbolicLink() === true) rmSync(step, { force: true });
    mkdirSync(step, { recursive: true, mode: privateFolder });
  }
}

function goneRoot(root: string): LoopwrightError {
  return new LoopwrightError(
    'state.gone',
    `${root} is not there any more: the project was moved or deleted while it was in use`,
    { hint: 'go to where the project is now, and start again: what was recorded is kept there' },
  );
}

function stepsBelow(root: string, folder: string): readonly string[] {
  const names = path.relative(root, folder).split(path.sep);
  if (names[0] === '' || names[0] === '..') return [];
  return names.map((_, index) => path.join(root, ...names.slice(0, index + 1)));
}

function look(folder: string) {
  try {
    return lstatSync(folder, { bigint: true, throwIfNoEntry: false }) ?? null;
  } catch {
    // Below something that is no folder there is nothing.
    return null;
  }
}

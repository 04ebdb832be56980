import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stateFolderName } from '../adapters/files/folder-state.ts';
import { openStateDir } from '../adapters/files/state-dir.ts';
import { copyStore } from '../adapters/sqlite/store-copy.ts';
import { openStore, type StoreOptions } from '../adapters/sqlite/store.ts';
import { isLoopwrightError } from '../core/error.ts';
import type { Store } from '../ports/store.ts';

/** How the state of a project is opened. */
export type StateUse = {
  /** Leaves no trace: a project without state gets it in a temporary folder that goes away again. */
  readonly isTransient?: boolean;
  /** Its state lies in a temporary folder that goes away again, also where the project has state of its own. */
  readonly isApart?: boolean;
  /** Only looks: what cannot be written can be shown all the same. */
  readonly onlyReads?: boolean;
  /** Told that another program has the store locked and is waited for; a live event unless given. */
  readonly onLocked?: (text: string) => void;
};

/** The state folder of a project, or one that stands in for it until `cleanup` is done. */
export async function openStateFolder(
  root: string,
  { isTransient = false, isApart = false, onlyReads = false }: StateUse,
  cleanup: AsyncDisposableStack,
): Promise<string> {
  if (isApart) return borrow(cleanup);
  const folder = path.join(root, stateFolderName);
  if (isTransient) return existsSync(path.join(folder, 'state.db')) ? folder : borrow(cleanup);
  try {
    return await openStateDir(root);
  } catch (error) {
    if (!onlyReads || !hasCode(error, ['state.unwritable'])) throw error;
    return existsSync(folder) ? folder : borrow(cleanup);
  }
}

/** The store; for a command that only looks, a copy of one that cannot be written. `tell` says so, and that it is waited for. */
export async function openProjectStore(
  file: string,
  { onlyReads = false, onLocked }: StateUse,
  options: StoreOptions,
  cleanup: AsyncDisposableStack,
  tell: (text: string) => void,
): Promise<{ readonly store: Store; readonly isCopy: boolean }> {
  const withWait = { ...options, onLocked: onLocked ?? tell };
  try {
    return { store: await openStore(file, withWait), isCopy: false };
  } catch (error) {
    if (!onlyReads || !hasCode(error, ['store.read_only'])) throw error;
    const copy = copyStore(file, await borrow(cleanup));
    tell(`warning: ${file} cannot be written; shown is what it holds, and nothing can change`);
    return { store: await openStore(copy, withWait), isCopy: true };
  }
}

function hasCode(error: unknown, codes: readonly string[]): boolean {
  return isLoopwrightError(error) && codes.includes(error.code);
}

async function borrow(cleanup: AsyncDisposableStack): Promise<string> {
  const temporary = await mkdtemp(path.join(tmpdir(), 'loopwright-'));
  cleanup.defer(() => rm(temporary, { recursive: true, force: true }));
  return temporary;
}

import path from 'node:path';
import { syncAllToDisk } from '../files/sync-to-disk.ts';
import { syncFiles } from './disk-sync.ts';
import type { ConfigEntry } from './environment.ts';
import type { Checkout } from './git.ts';
import type { Repository } from './repository.ts';
import { diffTrees } from './tree-diff.ts';

/** For commands that write an index of the user's: unlike a loop's it cannot be made anew from what is known. */
export const syncedIndex: readonly ConfigEntry[] = [['core.fsync', 'reference,index']];

/** The files that a checkout got by moving from one commit to another, and its index. */
export async function syncMoved(
  repository: Repository,
  { workTree, gitDir }: Checkout,
  from: string,
  to: string,
  signal: AbortSignal,
): Promise<void> {
  const { entries } = await diffTrees(repository, from, to, signal);
  const names = entries.flatMap(({ path: name, renamedFrom }) =>
    renamedFrom === null ? [name] : [name, renamedFrom],
  );
  if (workTree !== null) await syncFiles(workTree, names);
  await syncAllToDisk([path.join(gitDir, 'index'), gitDir]);
}

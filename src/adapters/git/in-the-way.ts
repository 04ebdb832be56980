import { lstat } from 'node:fs/promises';
import { filteredFiles } from './content-filters.ts';
import type { Checkout } from './git.ts';
import { filePath } from './path-bytes.ts';
import type { Repository } from './repository.ts';
import { diffTrees } from './tree-diff.ts';

/**
 * Files of the user's that a move of the checkout from one commit to another would overwrite. git itself spares
 * untracked files but takes ignored ones for worthless.
 */
export async function listInTheWay(
  repository: Repository,
  workTree: string,
  from: string,
  to: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { entries } = await diffTrees(repository, from, to, signal);
  const found: string[] = [];
  for (const { path, status, renamedFrom } of entries) {
    if (status !== 'A' && renamedFrom === null) continue;
    if (await isTaken(workTree, path)) found.push(path);
  }
  return found.toSorted();
}

/** Files that a move of the checkout would write and that a filter of the user's stands before. */
export async function listFiltered(
  repository: Repository,
  at: Checkout,
  from: string,
  to: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (repository.user.filters.size === 0) return [];
  const { entries } = await diffTrees(repository, from, to, signal);
  const written = entries.filter(({ status }) => status !== 'D').map(({ path }) => path);
  return [...(await filteredFiles(repository, at, written, signal)).keys()].toSorted();
}

/** A file where a folder must come is in the way too. */
async function isTaken(workTree: string, path: string): Promise<boolean> {
  try {
    await lstat(filePath(workTree, path));
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ENOENT');
  }
}

import { lstat } from 'node:fs/promises';
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

/** A file where a folder must come is in the way too. */
async function isTaken(workTree: string, path: string): Promise<boolean> {
  try {
    await lstat(filePath(workTree, path));
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ENOENT');
  }
}

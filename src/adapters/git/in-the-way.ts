import { lstat, readdir } from 'node:fs/promises';
import { filteredFiles } from './content-filters.ts';
import type { Checkout } from './git.ts';
import { decodePath, filePath } from './path-bytes.ts';
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
  const leaving = new Set(
    entries.flatMap(({ path, status, renamedFrom }) =>
      status === 'D' ? [path] : renamedFrom === null ? [] : [renamedFrom],
    ),
  );
  const found: string[] = [];
  for (const { path, status, renamedFrom } of entries) {
    if (status !== 'A' && renamedFrom === null) continue;
    if (await isTaken(workTree, path, leaving)) found.push(path);
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

/**
 * A file where a folder must come is in the way too, and so is a folder where a file must come, unless the move itself
 * takes away all that is there.
 */
async function isTaken(
  workTree: string,
  path: string,
  leaving: ReadonlySet<string>,
): Promise<boolean> {
  try {
    const found = await lstat(filePath(workTree, path));
    return !found.isDirectory() || !(await holdsOnly(workTree, path, leaving));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOTDIR') return !foldersOf(path).some((folder) => leaving.has(folder));
    return code !== 'ENOENT';
  }
}

async function holdsOnly(
  workTree: string,
  folder: string,
  leaving: ReadonlySet<string>,
): Promise<boolean> {
  const options = { withFileTypes: true, encoding: 'buffer' } as const;
  for (const entry of await readdir(filePath(workTree, folder), options)) {
    const path = `${folder}/${decodePath(entry.name)}`;
    const isLeaving = entry.isDirectory()
      ? await holdsOnly(workTree, path, leaving)
      : leaving.has(path);
    if (!isLeaving) return false;
  }
  return true;
}

function foldersOf(path: string): readonly string[] {
  const steps = path.split('/');
  return steps.slice(1).map((_, index) => steps.slice(0, index + 1).join('/'));
}

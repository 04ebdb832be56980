import { lstat, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Checkout } from './git.ts';
import { requireOwnRegistry } from './own-worktree.ts';
import type { Repository } from './repository.ts';

/** Every linked worktree the repository knows, whether or not its folder still exists. */
export async function listLinkedCheckouts(commonDir: string): Promise<readonly Checkout[]> {
  const folder = path.join(commonDir, 'worktrees');
  const names = await readdir(folder).catch(() => []);
  const checkouts: Checkout[] = [];
  for (const name of names.toSorted((a, b) => (a < b ? -1 : 1))) {
    const linked = await readLinked(commonDir, name);
    if (linked !== null) checkouts.push(linked);
  }
  return checkouts;
}

async function readLinked(commonDir: string, name: string): Promise<Checkout | null> {
  const gitDir = path.join(commonDir, 'worktrees', name);
  const text = await readFile(path.join(gitDir, 'gitdir'), 'utf8').catch(() => null);
  if (text === null) return null;
  return { gitDir, commonDir, workTree: path.dirname(path.resolve(gitDir, text.trim())) };
}

/** The worktree git knows at a path, if it knows one there. */
export async function findRegistered(
  repository: Repository,
  folder: string,
): Promise<Checkout | null> {
  const { commonDir } = repository.main;
  const name = path.basename(folder);
  requireOwnRegistry(commonDir);
  // The worktree is then one that git has forgotten.
  await dropLink(path.join(commonDir, 'worktrees', name));
  const usual = await readLinked(commonDir, name);
  if (usual?.workTree === folder) return usual;
  // git names it after the folder, with a number behind if that name is taken.
  const names = await readdir(path.join(commonDir, 'worktrees')).catch(() => []);
  if (!names.some((each) => each.startsWith(name))) return null;
  const linked = await listLinkedCheckouts(commonDir);
  return linked.find((at) => at.workTree === folder) ?? null;
}

/** A link holds nothing itself, and what it leads to is not the loop's. */
export async function dropLink(file: string): Promise<void> {
  const found = await lstat(file).catch(() => null);
  if (found?.isSymbolicLink() === true) await rm(file, { force: true });
}

import { readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { isLoopwrightError } from '../../core/error.ts';
import type { Checkout } from './git.ts';
import { headBranch } from './head.ts';
import { listLinkedCheckouts } from './linked-checkouts.ts';
import type { Repository } from './repository.ts';

/** Checkouts on the branch, and those that are in the middle of rebasing it. */
export async function listCheckoutsOf(
  repository: Repository,
  ref: string,
  signal: AbortSignal,
): Promise<readonly Checkout[]> {
  const found: Checkout[] = [];
  for (const at of await listAllCheckouts(repository, signal)) {
    const shown = await shownBranch(repository, at, signal);
    // A rebase under way has HEAD detached.
    if (shown === ref || (shown === null && (await isRebasing(at, ref)))) found.push(at);
  }
  return found;
}

/** One that is being removed at this moment shows nothing. */
async function shownBranch(
  repository: Repository,
  at: Checkout,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    return await headBranch(repository, at, signal);
  } catch (error) {
    if (isLoopwrightError(error) && error.code === 'workspace.gone') return null;
    throw error;
  }
}

/** The user's checkout, the main one around the common git folder, and every linked one. */
export async function listAllCheckouts(
  repository: Repository,
  signal: AbortSignal,
): Promise<readonly Checkout[]> {
  const { main } = repository;
  const linked = await listLinkedCheckouts(main.commonDir);
  const others = linked.filter((at) => at.gitDir !== main.gitDir);
  if (main.gitDir === main.commonDir) return main.workTree === null ? others : [main, ...others];
  // The user works in a linked worktree; the main one is the folder around the common git folder.
  const common: Checkout = { gitDir: main.commonDir, commonDir: main.commonDir, workTree: null };
  const bare = await repository.text({
    at: common,
    args: ['rev-parse', '--is-bare-repository'],
    signal,
  });
  if (bare === 'true') return [main, ...others];
  return [main, { ...common, workTree: path.dirname(main.commonDir) }, ...others];
}

async function isRebasing(at: Checkout, ref: string): Promise<boolean> {
  const files = ['rebase-merge', 'rebase-apply'].map((name) =>
    path.join(at.gitDir, name, 'head-name'),
  );
  const names = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
  return names.some((name) => name.trim() === ref);
}

/** What is registered as a linked checkout is so only if its folder says the same: whoever can write here could name any folder. */
export async function belongsTo(
  workTree: string,
  { gitDir, commonDir }: Checkout,
): Promise<boolean> {
  if (gitDir === commonDir) return true;
  const text = await readFile(path.join(workTree, '.git'), 'utf8').catch(() => '');
  const target = text.startsWith('gitdir: ') ? text.slice('gitdir: '.length).trim() : '';
  const [theirs, ours] = await Promise.all(
    [path.resolve(workTree, target), gitDir].map((folder) => realpath(folder).catch(() => null)),
  );
  return target !== '' && theirs !== null && theirs === ours;
}

import { readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { isLoopwrightError, LoopwrightError } from '../../core/error.ts';
import type { FastForward } from '../../ports/workspace.ts';
import { filteredFiles } from './content-filters.ts';
import type { Checkout } from './git.ts';
import { headBranch } from './head.ts';
import { listFiltered, listInTheWay } from './in-the-way.ts';
import { unfinishedOperation } from './mend.ts';
import { splitRecords } from './path-bytes.ts';
import { refuseDamagedIndex } from './damaged-index.ts';
import { refuseLocked, refuseLockedDeletion } from './refuse-locked.ts';
import { isAncestor, resolveCommit } from './repository.ts';
import type { Repository } from './repository.ts';
import { listLinkedCheckouts } from './linked-checkouts.ts';
import { syncedIndex, syncMoved } from './sync-moved.ts';

/** Moves a branch, and the files of every checkout that shows it. */
export async function fastForwardBranch(
  repository: Repository,
  branch: string,
  from: string,
  to: string,
  signal: AbortSignal,
): Promise<FastForward> {
  const ref = `refs/heads/${branch}`;
  const now = await resolveCommit(repository, ref, signal);
  if (now !== from) return { kind: 'moved-meanwhile', now };
  if (!(await isAncestor(repository, from, to, signal))) {
    throw new LoopwrightError(
      'git.not_fast_forward',
      `${to} does not contain ${from}, the tip of ${branch}`,
      {
        hint: 'Rebase the loop first.',
      },
    );
  }

  const checkouts = await listCheckoutsOf(repository, ref, signal);
  const behind: Checkout[] = [];
  for (const at of checkouts) {
    const state = await inspect(repository, at, from, to, signal);
    if (state === 'dirty') return { kind: 'dirty', path: at.workTree ?? at.gitDir };
    if (state === 'behind') behind.push(at);
  }
  for (const at of behind) {
    const files = await listFiltered(repository, at, from, to, signal);
    if (files.length > 0) return { kind: 'filtered', path: at.workTree ?? at.gitDir, files };
  }
  await repository.disk.objects();
  const { commonDir } = repository.main;
  await refuseLocked(commonDir, ref, behind, signal);
  // The branch that is merged goes afterwards.
  await refuseLockedDeletion(commonDir, [], signal);
  const followed: Checkout[] = [];
  for (const at of behind) {
    if (!(await moveFiles(repository, at, from, to, signal))) {
      await moveBack(repository, followed, from, to, signal);
      return { kind: 'dirty', path: at.workTree ?? at.gitDir };
    }
    followed.push(at);
  }

  const args = ['update-ref', '-m', 'loopwright: fast-forward', ref, to, from];
  const moved = await repository.run({ args, signal });
  if (moved.exitCode === 0) {
    for (const at of followed) await syncMoved(repository, at, from, to, signal);
    await repository.disk.refs([ref]);
    return { kind: 'moved', checkedOut: checkouts.length > 0 };
  }
  await moveBack(repository, followed, from, to, signal);
  return { kind: 'moved-meanwhile', now: await resolveCommit(repository, ref, signal) };
}

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

async function listAllCheckouts(
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

/**
 * `behind`: clean, its files have to follow. `there`: its files are at `to` already, from a move that was cut short.
 * Untracked and ignored files count only where they are in the way.
 */
async function inspect(
  repository: Repository,
  at: Checkout,
  from: string,
  to: string,
  signal: AbortSignal,
): Promise<'behind' | 'there' | 'dirty'> {
  if (at.workTree === null || !(await belongsTo(at.workTree, at))) return 'dirty';
  if ((await unfinishedOperation(at.gitDir)) !== null) return 'dirty';
  const ignore = '--ignore-submodules=dirty';
  const args = ['status', '--porcelain=v2', '-z', '--untracked-files=no', ignore];
  const status = await repository.run({ at, args, signal, maxOutputBytes: 4096 });
  if (status.exitCode !== 0) await refuseDamagedIndex(repository, at, signal);
  const isClean = status.exitCode === 0 && status.stdout.length === 0;
  if (isClean || (await isOnlyFiltered(repository, at, from, signal))) {
    const obstacles = await listInTheWay(repository, at.workTree, from, to, signal);
    return obstacles.length === 0 ? 'behind' : 'dirty';
  }
  const compare = ['diff-index', '--quiet', '--no-ext-diff', ignore, to, '--'];
  const difference = await repository.run({ at, args: compare, signal });
  return difference.exitCode === 0 ? 'there' : 'dirty';
}

/** What is registered as a linked checkout is so only if its folder says the same: whoever can write here could name any folder. */
async function belongsTo(workTree: string, { gitDir, commonDir }: Checkout): Promise<boolean> {
  if (gitDir === commonDir) return true;
  const text = await readFile(path.join(workTree, '.git'), 'utf8').catch(() => '');
  const target = text.startsWith('gitdir: ') ? text.slice('gitdir: '.length).trim() : '';
  const [theirs, ours] = await Promise.all(
    [path.resolve(workTree, target), gitDir].map((folder) => realpath(folder).catch(() => null)),
  );
  return target !== '' && theirs !== null && theirs === ours;
}

/**
 * Files behind a content filter look changed to whoever does not run it. The move writes none of them (that is refused), so they
 * are in nobody's way.
 */
async function isOnlyFiltered(
  repository: Repository,
  at: Checkout,
  from: string,
  signal: AbortSignal,
): Promise<boolean> {
  if (repository.user.filters.size === 0) return false;
  const staged = ['diff-index', '--cached', '--quiet', '--no-ext-diff', from, '--'];
  if ((await repository.run({ at, args: staged, signal })).exitCode !== 0) return false;
  const listing = ['diff-files', '--name-only', '--no-ext-diff', '--ignore-submodules=dirty', '-z'];
  const names = splitRecords(await repository.output({ at, args: listing, signal }));
  return (await filteredFiles(repository, at, names, signal)).size === names.length;
}

async function moveFiles(
  repository: Repository,
  at: Checkout,
  from: string,
  to: string,
  signal: AbortSignal,
): Promise<boolean> {
  const synced = repository.with(syncedIndex);
  // Files that were only touched would count as changed without this.
  await synced.run({ at, args: ['update-index', '-q', '--refresh'], signal });
  const result = await synced.run({ at, args: ['read-tree', '-m', '-u', from, to], signal });
  return result.exitCode === 0;
}

async function moveBack(
  repository: Repository,
  checkouts: readonly Checkout[],
  from: string,
  to: string,
  signal: AbortSignal,
): Promise<void> {
  for (const at of checkouts) {
    const args = ['read-tree', '-m', '-u', to, from];
    await repository.with(syncedIndex).output({ at, args, signal });
  }
}

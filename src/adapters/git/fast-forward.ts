import { LoopwrightError } from '../../core/error.ts';
import type { FastForward } from '../../ports/workspace.ts';
import { filteredFiles } from './content-filters.ts';
import { refuseDamagedIndex } from './damaged-index.ts';
import { gitFailed, type Checkout } from './git.ts';
import { listFiltered, listInTheWay } from './in-the-way.ts';
import { installIndex } from './index-lock.ts';
import { unfinishedOperation } from './mend.ts';
import { listCutMoves, type Move } from './move-record.ts';
import { splitRecords } from './path-bytes.ts';
import { refuseLocked, refuseLockedDeletion } from './refuse-locked.ts';
import { isAncestor, resolveCommit } from './repository.ts';
import type { Repository } from './repository.ts';
import { syncMoved } from './sync-moved.ts';
import { belongsTo, listCheckoutsOf } from './user-checkouts.ts';
import { holdIndex, moveRef, underRecord } from './user-move.ts';

export type BranchMove = Pick<Move, 'branch' | 'from' | 'to' | 'loops'>;

/**
 * Moves a branch, and the files of every checkout that shows it. Files come first, then the ref in one step, then the
 * index of each checkout, whose lock is held from beginning to end. A record says what is meant: what is cut in between
 * follows the ref afterwards.
 */
export async function fastForwardBranch(
  repository: Repository,
  { branch, from, to, loops }: BranchMove,
  signal: AbortSignal,
): Promise<FastForward> {
  refuseUnsettled(repository, branch);
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
  await refuseLocked(repository.main.commonDir, ref, behind, signal);
  // The branch that is merged goes afterwards.
  await refuseLockedDeletion(repository.main.commonDir, [], signal);
  const gitDirs = behind.map(({ gitDir }) => gitDir);
  const planned = { branch, from, to, loops, gitDirs, follows: 'files' } as const;
  return underRecord<FastForward>(repository, planned, async (move) => {
    const refusing = await moveFiles(repository, behind, move, signal);
    if (refusing !== null) return { isOver: true, result: { kind: 'dirty', path: refusing } };
    const reason = 'loopwright: fast-forward';
    if (!(await moveRef(repository, repository.main, move, reason, signal))) {
      const here = await resolveCommit(repository, ref, signal);
      return { isOver: false, result: { kind: 'moved-meanwhile', now: here } };
    }
    await repository.reach('before:move-index');
    for (const at of behind) installIndex(at.gitDir, move.id);
    await repository.reach('after:move-index');
    for (const at of behind) await syncMoved(repository, at, from, to, signal);
    return { isOver: true, result: { kind: 'moved', checkedOut: checkouts.length > 0 } };
  });
}

/** What a cut move has left is not the user's: it must not be told as uncommitted changes of theirs. */
function refuseUnsettled({ main }: Repository, branch: string): void {
  const cut = listCutMoves(main.commonDir).find((move) => move.branch === branch);
  if (cut === undefined) return;
  throw new LoopwrightError(
    'git.locked',
    `an earlier move of ${branch} was cut short, and its checkout cannot follow yet`,
    { hint: 'finish or abort what is under way there (`git status`), then try again' },
  );
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
  // More than is listened to is an answer as well; a git that was killed has not answered.
  if (status.exitCode !== 0 && status.stdout.length === 0) throw gitFailed(args, status);
  const isClean = status.exitCode === 0 && status.stdout.length === 0;
  if (isClean || (await isOnlyFiltered(repository, at, from, signal))) {
    const obstacles = await listInTheWay(repository, at.workTree, from, to, signal);
    return obstacles.length === 0 ? 'behind' : 'dirty';
  }
  const compare = ['diff-index', '--quiet', '--no-ext-diff', ignore, to, '--'];
  const difference = await repository.run({ at, args: compare, signal });
  if (difference.exitCode > 1) throw gitFailed(compare, difference);
  return difference.exitCode === 0 ? 'there' : 'dirty';
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

/** A move is large when its commits are, and what stops git midway has to be undone. */
const longestMs = 24 * 60 * 60 * 1000;

/**
 * Brings the files of all checkouts to the other commit. Answers the first one in which something is in the way; then
 * nothing has changed in any.
 */
async function moveFiles(
  repository: Repository,
  checkouts: readonly Checkout[],
  move: Move,
  signal: AbortSignal,
): Promise<string | null> {
  const held: { readonly at: Checkout; readonly env: Readonly<Record<string, string>> }[] = [];
  const args = (...how: readonly string[]) => ['read-tree', ...how, '-m', '-u', move.from, move.to];
  for (const at of checkouts) {
    const env = await holdIndex(at, move, signal);
    // Files that were only touched would count as changed without this.
    await refresh(repository, at, env, signal);
    const allowed = await repository.run({ at, env, args: args('--dry-run'), signal });
    if (allowed.exitCode > 128) throw gitFailed(args('--dry-run'), allowed);
    if (allowed.exitCode !== 0) return at.workTree ?? at.gitDir;
    held.push({ at, env });
  }
  await repository.reach('before:move-files');
  for (const { at, env } of held) {
    await repository.output({ at, env, args: args(), signal, timeoutMs: longestMs });
  }
  await repository.reach('after:move-files');
  return null;
}

/** A file that differs is an answer; a git that was killed says nothing about the user's files, and may leave its lock. */
async function refresh(
  repository: Repository,
  at: Checkout,
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  const args = ['update-index', '-q', '--refresh'];
  const refreshed = await repository.run({ at, env, args, signal });
  if (refreshed.exitCode > 1) throw gitFailed(args, refreshed);
}

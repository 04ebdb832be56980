import type { Checkout } from './git.ts';
import { gitFailed } from './git.ts';
import { copyIndex, releaseIndex, takeIndexLock } from './index-lock.ts';
import {
  beginMove,
  dropMove,
  leaveMove,
  moveMark,
  type Move,
  type PlannedMove,
} from './move-record.ts';
import { refuseLocked } from './refuse-locked.ts';
import { resolveCommit } from './repository.ts';
import type { Repository } from './repository.ts';
import { settleMove } from './settle-moves.ts';

/** `isOver`: refs, index and files belong together again, whether or not anything has moved. */
type Moved<Result> = { readonly isOver: boolean; readonly result: Result };

/**
 * Does work that moves what is the user's under a record of it. Whatever ends it early, what it had begun follows the
 * ref: at once when this process can, else at the next start.
 */
export async function underRecord<Result>(
  repository: Repository,
  planned: PlannedMove,
  work: (move: Move) => Promise<Moved<Result>>,
): Promise<Result> {
  const { commonDir } = repository.main;
  const move = beginMove(commonDir, planned);
  try {
    const { isOver, result } = await work(move);
    if (isOver) endMove(commonDir, move);
    else await settleMove(repository, move, never());
    return result;
  } catch (error) {
    // The error of the work says more; the record stays, and the next start settles it.
    await settleMove(repository, move, never()).catch(() => leaveMove(commonDir, move));
    throw error;
  }
}

/** Locks the index of a checkout and copies it to where the new one is made. Answers the variables for git to use it. */
export async function holdIndex(
  at: Checkout,
  { branch, id }: Move,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  while (!takeIndexLock(at.commonDir, at.gitDir, id)) {
    // Waits for a moment, and throws what is in the way.
    await refuseLocked(at.commonDir, `refs/heads/${branch}`, [at], signal);
  }
  return { GIT_INDEX_FILE: await copyIndex(at.gitDir, id), ...moveMark(id) };
}

/** Moves the ref; false when it is not where the move begins any more. It is on the disk then; its objects are so before. */
export async function moveRef(
  repository: Repository,
  at: Checkout,
  { id, branch, from, to }: Move,
  reason: string,
  signal: AbortSignal,
): Promise<boolean> {
  const ref = `refs/heads/${branch}`;
  await repository.reach('before:move-ref');
  const args = ['update-ref', '-m', reason, ref, to, from];
  const moved = await repository.run({ at, args, env: moveMark(id), signal });
  await repository.reach('after:move-ref');
  // A git that was killed may have done it all the same.
  const now = moved.exitCode === 0 ? to : await resolveCommit(repository, ref, signal);
  if (now === from) throw gitFailed(args, moved);
  if (now === to) await repository.disk.refs([ref]);
  return now === to;
}

function endMove(commonDir: string, move: Move): void {
  for (const gitDir of move.gitDirs) releaseIndex(gitDir, move);
  dropMove(commonDir, move);
}

function never(): AbortSignal {
  return new AbortController().signal;
}

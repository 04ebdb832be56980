import type { BaseMoveRecord } from './event.ts';
import type { Rest } from './judge.ts';
import { lastIteration, type Loop } from './loop.ts';

/** For people: what became of the base branch. */
export function baseMoveText({ branch, from, to, back, why }: BaseMoveRecord): string {
  const moved = `${branch} was moved from ${short(from)} to ${short(to)} while the agent worked`;
  return back === null
    ? `${moved}, and ${why}`
    : `${moved}: ${why}. It is moved back to ${short(back)}; files of your checkout stay as they are`;
}

/** For the agent, once. Null: there is nothing to tell. */
export function baseMoveFeedback(loop: Loop): string | null {
  const move = lastIteration(loop)?.baseMove;
  if (move === undefined || move.back === null) return null;
  return `A git command of yours moved the branch ${move.branch}, which this work is judged by. It was moved back. Commit on the branch of your own worktree only.`;
}

/** How a loop rests whose base was moved by nobody knows whom; null: it goes on. */
export function baseBreach(loop: Loop): Rest | null {
  const move = lastIteration(loop)?.baseMove;
  return move === undefined || move.back !== null ? null : baseRest(loop.id, move);
}

export function baseRest(loopId: string, move: BaseMoveRecord): Rest {
  const { branch, from, to } = move;
  const accept = `\`loopwright loop resume ${loopId}\` goes on with it as it is`;
  const undo = `\`git update-ref refs/heads/${branch} ${from} ${to}\` moves it back`;
  const look = `look at \`git log ${short(from)}..${short(to)}\``;
  const text = `${baseMoveText(move)}. Nothing was moved back; ${look}. ${accept}; ${undo}`;
  return { status: 'blocked', reason: 'integrity', text };
}

function short(commit: string): string {
  return /^[0-9a-f]{40,64}$/.test(commit) ? commit.slice(0, 12) : commit;
}

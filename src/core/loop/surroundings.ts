import { escapedName } from '../text/file-name.ts';
import type { Rest } from './judge.ts';
import { lastIteration, type Iteration, type Loop } from './loop.ts';

/** How the index of the user's checkout is called among what is around a workspace. */
export const userIndex = 'index of your checkout';
/** How the value of an index that git cannot read begins. */
export const damagedIndex = 'damaged ';
/** The value of an index that is not there. */
export const absentIndex = 'absent';

/** How it is called that git keeps a record of a ref's moves. */
export const logPrefix = 'log of ';
export function logOf(ref: string): string {
  return `${logPrefix}${ref}`;
}

/** A change of a ref with its value before and after; null: not there. */
export type RefChange = {
  readonly name: string;
  readonly before: string | null;
  readonly after: string | null;
};

/** A merge of ours: a branch was to go from one commit to another. */
export type OwnMove = { readonly into: string; readonly from: string; readonly to: string };

/** What changed around a workspace, for people. */
export function tamperedText({ names, count }: NonNullable<Iteration['tampered']>): string {
  const more = count > names.length ? ` and ${count - names.length} more` : '';
  return `changed outside of the workspace: ${names.map(escapedName).join(', ')}${more}`;
}

/** With `sandbox: worktree` nothing but the worktree may change. */
export function guardsSurroundings(loop: Loop): boolean {
  return loop.settings.sandbox.level === 'worktree';
}

/** How a loop rests whose last iteration broke that rule; null when it did not. */
export function breachOf(loop: Loop): Rest | null {
  const tampered = lastIteration(loop)?.tampered;
  if (tampered === undefined || !guardsSurroundings(loop)) return null;
  return breach(loop, tamperedText(tampered));
}

export function breach(loop: Loop, text: string): Rest {
  const move = lastIteration(loop)?.baseMove;
  const back = move?.back ?? null;
  const put = back === null ? 'Nothing' : `${move?.branch ?? ''} was moved back; nothing else`;
  return {
    status: 'blocked',
    reason: 'integrity',
    text: `sandbox: worktree does not allow what was ${text}. ${put} was put back; look at it, then resume`,
  };
}

/** Whether merges of ours, one after the other, lead from the one value to the other. */
export function isOwnMove({ name, before, after }: RefChange, moves: readonly OwnMove[]): boolean {
  const into = moves.filter((move) => `refs/heads/${move.into}` === name);
  const origins = new Map(into.map(({ from, to }) => [to, from]));
  let at = after;
  for (let steps = 0; steps < into.length && at !== null && at !== before; steps++) {
    at = origins.get(at) ?? null;
  }
  return at !== null && at === before;
}

import { isLoopwrightError } from '../../core/error.ts';
import type { Loop } from '../../core/loop/loop.ts';

const lost: ReadonlySet<string> = new Set(['loop.lost', 'store.fenced']);

/** About a loop that an error has taken out of our hands before it could rest: what is stored says no more of it. */
export function leftText({ id, workspace, iterations }: Loop, error: unknown): string {
  const code = isLoopwrightError(error) ? error.code : 'internal';
  if (lost.has(code)) return `${id} is no longer driven here: another engine goes on with it`;
  const number = iterations.at(-1)?.number ?? 0;
  const where = number === 0 ? 'before its first iteration' : `in iteration ${number}`;
  const { branch } = workspace;
  const work = branch === null ? '' : `; what it had committed is on ${branch}`;
  const next = code === 'store.gone' ? '' : '; `loopwright run` goes on with it';
  return `${id} was left ${where}${work}${next}`;
}

import { confirmStateOf, liftable } from '../core/loop/confirming.ts';
import { LoopwrightError } from '../core/error.ts';
import { violationsToAllow } from '../core/loop/judges.ts';
import type { Loop } from '../core/loop/loop.ts';
import type { Confirmation } from '../core/verdict/confirmation.ts';
import type { Session } from '../ports/store.ts';
import type { Engine } from './engine.ts';
import { planJudge } from './judge-plan.ts';
import { holdAtRest } from './resting-loop.ts';

export type AskedChanges = Pick<Confirmation, 'base' | 'commit' | 'changes' | 'hash' | 'why'>;

/**
 * What a person's yes to this loop would accept of its judge; null when that is not the question. Findings of `integrity` come
 * before a confirmation, so that a yes to them is one to the changes behind them.
 */
export async function askedChanges(
  engine: Engine,
  loop: Loop,
  signal: AbortSignal,
): Promise<AskedChanges | null> {
  const confirmation = liftable(loop);
  if (confirmation !== null) return confirmation;
  const { head, settings, workspace } = loop;
  if (loop.status === 'complete' || violationsToAllow(loop).length === 0) return null;
  if (confirmStateOf(loop).kind === 'off' || workspace.base === null || head === null) return null;
  const range = { base: workspace.base, commit: head };
  const { changes, hash } = await planJudge(engine, settings, range, signal);
  return { ...range, changes, hash, why: 'integrity found changes to what judges the work' };
}

/** A person accepts what a loop at rest changed of its judge. Exactly these changes count from now on. */
export async function allowJudge(
  engine: Engine,
  session: Session,
  loopId: string,
  { by, reason }: { readonly by: string; readonly reason: string | null },
): Promise<Loop> {
  await using held = await holdAtRest(engine, session, loopId);
  const confirmation = liftable(held.loop);
  if (confirmation === null) {
    throw new LoopwrightError('loop.nothing_to_allow', `${loopId} waits for no approval any more`, {
      hint: `see \`loopwright loop explain ${loopId}\``,
    });
  }
  const { hash, changes } = confirmation;
  const paths = changes.map(({ path }) => path);
  return held.record({ type: 'judge.allowed', hash, paths, by, reason });
}

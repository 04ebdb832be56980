import { liftable } from '../core/loop/confirming.ts';
import { LoopwrightError } from '../core/error.ts';
import type { Loop } from '../core/loop/loop.ts';
import type { Session } from '../ports/store.ts';
import type { Engine } from './engine.ts';
import { holdAtRest } from './resting-loop.ts';

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

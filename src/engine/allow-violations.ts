import { LoopwrightError } from '../core/error.ts';
import { violationsToAllow } from '../core/loop/judges.ts';
import { lastIteration, type Loop } from '../core/loop/loop.ts';
import { acceptViolations } from '../core/verdict/integrity.ts';
import type { Session } from '../ports/store.ts';
import type { Engine } from './engine.ts';
import { holdAtRest } from './resting-loop.ts';

/**
 * A person accepts what `integrity` found last in a loop at rest. Exactly that passes from now on; the last verdict is
 * stored again without it, to be judged again.
 */
export async function allowViolations(
  engine: Engine,
  session: Session,
  loopId: string,
  { by, reason }: { readonly by: string; readonly reason: string | null },
): Promise<Loop> {
  await using held = await holdAtRest(engine, session, loopId);
  const keys = violationsToAllow(held.loop);
  if (keys.length === 0) {
    throw new LoopwrightError('loop.nothing_to_allow', `integrity found nothing in ${loopId}`, {
      hint: `see \`loopwright loop explain ${loopId}\``,
    });
  }
  const report = lastIteration(held.loop)?.report ?? null;
  const verdict = report === null ? {} : { report: acceptViolations(report) };
  return held.record({ type: 'integrity.allowed', keys, by, reason, ...verdict });
}

import { LoopwrightError } from '../core/error.ts';
import { violationsToAllow } from '../core/loop/judges.ts';
import { lastIteration, type Loop } from '../core/loop/loop.ts';
import { acceptViolations } from '../core/verdict/integrity.ts';
import type { Session } from '../ports/store.ts';
import { askedChanges } from './allow-judge.ts';
import type { Engine } from './engine.ts';
import { holdAtRest } from './resting-loop.ts';

/**
 * A person accepts what `integrity` found last in a loop at rest, with the changes to its judge as they are. Exactly that passes
 * from now on; the last verdict is stored again without it, to be judged again.
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
  const accepted = { type: 'integrity.allowed', keys, by, reason, ...verdict } as const;
  const asked = await askedChanges(engine, held.loop, AbortSignal.timeout(60_000));
  if (asked === null || asked.changes.length === 0) return held.record(accepted);
  const { hash, changes } = asked;
  const paths = changes.map(({ path }) => path);
  return held.recordAll([accepted, { type: 'judge.allowed', hash, paths, by, reason }]);
}

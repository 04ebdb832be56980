import { LoopwrightError } from '../../core/error.ts';
import type { Rest } from '../../core/loop/judge.ts';
import { hasProof } from '../../core/loop/proof.ts';
import type { Engine } from '../engine.ts';
import type { LoopOwner } from '../loop-owner.ts';
import { putBackWritten } from '../put-back.ts';
import { tellStrategy } from '../tell-strategy.ts';

/** The loop comes to rest. The last line of defence for the one promise: no `complete` without a stored pass. */
export async function rest(engine: Engine, owner: LoopOwner, end: Rest): Promise<void> {
  if (end.status === 'complete' && !hasProof(owner.loop)) {
    throw new LoopwrightError(
      'loop.unproven',
      `${owner.loop.id} was about to complete without a stored passing verification`,
    );
  }
  await owner.settled();
  // Whoever goes on with it cannot tell any more what the checks wrote; a complete loop may be resumed as well.
  await putBackWritten(engine, owner, null);
  await owner.record({
    type: 'loop.rested',
    status: end.status,
    reason: end.reason,
    text: end.text,
  });
  await tellStrategy(engine, owner.loop);
}

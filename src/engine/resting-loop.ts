import { LoopwrightError } from '../core/error.ts';
import type { LoopEvent } from '../core/loop/event.ts';
import type { Loop } from '../core/loop/loop.ts';
import { isResting } from '../core/loop/status.ts';
import type { Session, StoreTx } from '../ports/store.ts';
import type { Engine } from './engine.ts';
import { leaseMs } from './loop-owner.ts';

/** Adds facts to a loop that rests, under a claim of its own that is given back in the same transaction. */
export async function recordAtRest(
  engine: Engine,
  session: Session,
  loopId: string,
  events: readonly LoopEvent[],
  work?: (tx: StoreTx, loop: Loop) => Promise<void>,
): Promise<Loop> {
  const { loop, recorded } = await engine.store.write(async (tx) => {
    const now = engine.clock.now();
    const stored = await tx.loops.get(loopId);
    if (stored === null) throw new LoopwrightError('loop.not_found', `there is no loop ${loopId}`);
    if (!isResting(stored.status)) {
      throw new LoopwrightError('loop.running', `${loopId} is ${stored.status}`, {
        hint: `stop it first: \`loopwright loop stop ${loopId}\``,
      });
    }
    await tx.queue.enqueue(loopId, now);
    const claim = await tx.queue.claim({
      owner: session.id,
      now,
      leaseUntil: now + leaseMs,
      loopId,
    });
    if (claim === null)
      throw new LoopwrightError('loop.owned', `${loopId} is being changed right now`);
    const input = { loop: stored, token: claim.token, time: now, elapsedMs: 0, events };
    const appended = await tx.loops.append(input);
    await work?.(tx, appended.loop);
    await tx.queue.complete(claim);
    return appended;
  });
  for (const event of recorded) engine.publish({ kind: 'recorded', loop, recorded: event });
  return loop;
}

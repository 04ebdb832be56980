import type { Engine } from '../engine.ts';
import type { LoopOwner } from '../loop-owner.ts';
import { orderOfLoop, slotPlace } from '../slot-place.ts';
import { isShut } from '../sign-in.ts';
import { endOfWait, waitForProvider } from '../wait-for-provider.ts';

/**
 * Sleeps for the time or until the first request. A wait of hours is looked at in between: one that ends by the wall clock may be
 * over sooner or later. A long wait is spent without a slot, so that others can go on.
 */
export async function waitOn(engine: Engine, owner: LoopOwner, leftMs: number): Promise<void> {
  if (owner.loop.wait?.condition === 'outage') return waitForProvider(engine, owner, leftMs);
  const { slots, clock } = engine;
  const { taskId, settings, wait } = owner.loop;
  const yields = leftMs >= shortestYieldMs && slots.holds('loop', taskId);
  if (yields) slots.give('loop', taskId);
  // Woken by a request: `decide` sees it next.
  const longest = wait?.condition === 'approval' ? answerLookMs : longestSleepMs;
  const ends = endOfWait(engine, owner);
  await clock.sleep(Math.min(leftMs, longest), ends).catch(() => {});
  if (yields) {
    const place = await slotPlace(engine, settings);
    const order = await orderOfLoop(engine, owner.loop);
    const ask = { kind: 'loop', key: taskId, order, ...place } as const;
    // Without a slot, because the wait is over for another reason or its provider wants a sign-in: that is dealt with without one.
    await slots.take(ask, ends).catch((error: unknown) => {
      if (!ends.aborted && !isShut(error)) throw error;
    });
  }
  // A delay that the user configured is part of the loop's time; every other wait is not.
  if (wait?.condition !== 'delay') owner.forgetTime();
}

const longestSleepMs = 60_000;
/** A person's answer is mail; it wakes nobody, and somebody waits for what follows. */
const answerLookMs = 500;
const shortestYieldMs = 2000;

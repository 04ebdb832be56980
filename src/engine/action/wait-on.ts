import type { Engine } from '../engine.ts';
import type { LoopOwner } from '../loop-owner.ts';
import { endOfWait, waitForProvider, yieldSlot } from '../wait-for-provider.ts';

/**
 * Sleeps for the time or until the first request. A wait of hours is looked at in between: one that ends by the wall clock may be
 * over sooner or later. A long wait is spent without a slot, so that others can go on.
 */
export async function waitOn(engine: Engine, owner: LoopOwner, leftMs: number): Promise<void> {
  if (owner.loop.wait?.condition === 'outage') return waitForProvider(engine, owner, leftMs);
  const { wait } = owner.loop;
  // Whatever ends the wait, the loop asks for a slot again before it goes on: see `wake`.
  if (leftMs >= shortestYieldMs) yieldSlot(engine, owner);
  // Woken by a request: `decide` sees it next.
  const longest = wait?.condition === 'approval' ? answerLookMs : longestSleepMs;
  await engine.clock.sleep(Math.min(leftMs, longest), endOfWait(engine, owner)).catch(() => {});
  // A delay that the user configured is part of the loop's time; every other wait is not.
  if (wait?.condition !== 'delay') owner.forgetTime();
}

const longestSleepMs = 60_000;
/** A person's answer is mail; it wakes nobody, and somebody waits for what follows. */
const answerLookMs = 500;
const shortestYieldMs = 2000;

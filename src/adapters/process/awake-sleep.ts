import type { Clock } from '../../ports/clock.ts';

/** A timer that fires this much later than asked was not late: this process, or the whole machine, stood still. */
const jumpMs = 1000;
const shortestStrideMs = 50;
const longestStrideMs = 60_000;

/** Why a wait is given up that nobody needs any more. To make one each time, with its stack, costs more than the wait. */
export const notNeeded = new Error('nobody waits for this any more');

/** How long one look at the clock lies before the next while `ms` are waited for. */
export function strideOf(ms: number): number {
  return Math.min(Math.max(ms / 20, shortestStrideMs), longestStrideMs);
}

/**
 * Sleeps and tells how much of that time counts: nothing when this process was stopped, or the machine asleep, in
 * between. What happened meanwhile is unknown, and others may have stood still as well.
 */
export async function awakeDuring(ms: number, clock: Clock, signal: AbortSignal): Promise<number> {
  const before = clock.monotonic();
  await clock.sleep(ms, signal);
  const took = clock.monotonic() - before;
  return took > ms + jumpMs ? 0 : took;
}

/** Resolves when this process was awake for `ms`. A limit measured so never strikes early, and late by one stride at most. */
export async function sleepAwake(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  const strideMs = strideOf(ms);
  for (let left = ms; left > 0;) {
    left -= await awakeDuring(Math.min(left, strideMs), clock, signal);
  }
}

import type { Loop } from '../core/loop/loop.ts';
import { lastIteration } from '../core/loop/loop.ts';
import type { Clock } from '../ports/clock.ts';

/**
 * The time by which the waits of one loop are measured: the wall clock as it went when the first of them began, and on from there
 * by the monotonic clock. A clock that is set meanwhile makes no wait shorter or longer. While nothing is waited for it is the
 * wall clock itself.
 */
export class WaitClock {
  readonly #clock: Clock;
  #aheadMs: number;

  /** `leftMs`: how long the loop still has to wait, where that is known better than by the wall clock. */
  constructor(clock: Clock, loop: Loop, leftMs: number | null) {
    this.#clock = clock;
    // A clock that was set back cannot undo what was recorded.
    const known = Math.max(clock.now(), loop.updatedAt);
    const now = loop.wait === null || leftMs === null ? known : loop.wait.until - leftMs;
    this.#aheadMs = now - clock.monotonic();
  }

  now(loop: Loop): number {
    if (!isWaiting(loop)) this.#aheadMs = this.#clock.now() - this.#clock.monotonic();
    return Math.round(this.#aheadMs + this.#clock.monotonic());
  }
}

function isWaiting(loop: Loop): boolean {
  const isAsked = (loop.asked?.until ?? null) !== null;
  return loop.wait !== null || isAsked || lastIteration(loop)?.ciSince !== undefined;
}

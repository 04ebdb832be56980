import type { Clock } from '../../ports/clock.ts';
import { monotonicMs } from './monotonic.ts';

/** Node fires a longer timer at once, so longer sleeps are slept in parts. */
const longestTimerMs = 2 ** 31 - 1;

/** The machine's own clocks and timers. A sleep keeps the process alive. */
export function createSystemClock(): Clock {
  return {
    now: () => Date.now(),
    monotonic: monotonicMs,
    async sleep(ms, signal) {
      const wakeAt = monotonicMs() + ms;
      let leftMs = Math.max(ms, 0);
      while (leftMs > longestTimerMs) {
        await sleepOnce(longestTimerMs, signal);
        leftMs = Math.max(wakeAt - monotonicMs(), 0);
      }
      await sleepOnce(leftMs, signal);
    },
  };
}

function sleepOnce(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(asError(signal.reason));
      return;
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abandon);
      resolve();
    }, ms);
    function abandon(): void {
      clearTimeout(timer);
      reject(asError(signal.reason));
    }
    signal.addEventListener('abort', abandon, { once: true });
  });
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason });
}

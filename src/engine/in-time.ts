import type { Clock } from '../ports/clock.ts';

/** The result of work, or an error when it takes longer than that. The work itself is not ended. */
export async function inTime<T>(clock: Clock, work: Promise<T>, ms: number): Promise<T> {
  const timer = new AbortController();
  const late = clock.sleep(ms, timer.signal).then(
    () => {
      throw new Error(`no answer within ${ms / 1000} s`);
    },
    () => new Promise<never>(() => {}),
  );
  try {
    return await Promise.race([work, late]);
  } finally {
    timer.abort();
  }
}

import type { Loop } from '../../core/loop/loop.ts';
import type { Check } from '../../core/verdict/report.ts';

/**
 * Runs a failing check again as often as `retries-on-fail` says. The last run counts, and tells of those before it.
 * Null when it was cut short.
 */
export async function withRetries(
  { settings }: Loop,
  run: () => Promise<Check | null>,
): Promise<Check | null> {
  const retries = settings.verify['retries-on-fail'];
  const earlierRuns: (boolean | null)[] = [];
  for (;;) {
    const check = await run();
    if (check === null) return null;
    if (check.passed !== false || earlierRuns.length >= retries) {
      return earlierRuns.length === 0 ? check : { ...check, earlierRuns };
    }
    earlierRuns.push(check.passed);
  }
}

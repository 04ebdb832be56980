import type { Loop } from './loop.ts';

/** How long to wait after an iteration that a hook left out: as after errors, growing with each in a row. */
export function skipBackoffMs({ iterations, settings }: Loop): number {
  const { 'error-backoff': first, 'max-error-backoff': longest } = settings.limits;
  // The one under way is the newest.
  const before = iterations.slice(0, -1).toReversed();
  const run = before.findIndex(({ status }) => status !== 'skipped');
  const skips = run === -1 ? before.length : run;
  return Math.min(first * 2 ** Math.min(skips, 30), longest);
}

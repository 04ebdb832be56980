import type { Iteration } from './loop.ts';

/** Clocks of file systems tick slower, and what an agent started may end a moment later. */
const slackMs = 2000;

/**
 * Tells whether a moment lies in an iteration of a loop. What was made or changed then can be its agent's; what was changed before
 * it began, between a pause and its end, or after it, is a person's.
 */
export function agentTimes(
  iterations: readonly Pick<Iteration, 'startedAt' | 'endedAt'>[],
): (time: number) => boolean {
  const windows = iterations.map(({ startedAt, endedAt }) => ({
    from: startedAt,
    to: endedAt === null ? Number.POSITIVE_INFINITY : endedAt + slackMs,
  }));
  return (time) => windows.some(({ from, to }) => time > from && time <= to);
}

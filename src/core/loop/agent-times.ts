import type { Iteration } from './loop.ts';

/** Clocks of file systems tick slower, and what an agent started may end a moment later. */
const slackMs = 2000;
/** A span that is longer than what was measured, by more than this: the clock was set meanwhile. */
const setMs = 60_000;

/**
 * Tells whether a moment lies in an iteration of a loop. What was made or changed then can be its agent's; what was changed before
 * it began, between a pause and its end, or after it, is a person's.
 */
export function agentTimes(
  iterations: readonly Pick<Iteration, 'startedAt' | 'endedAt' | 'durationMs'>[],
): (time: number) => boolean {
  // By a clock that was set nothing can be told apart; an open iteration has no measure yet.
  const isMeasured = ({ startedAt, endedAt, durationMs }: (typeof iterations)[number]) =>
    endedAt === null || durationMs === null || endedAt - startedAt <= durationMs + setMs;
  const windows = iterations.filter(isMeasured).map(({ startedAt, endedAt }) => ({
    from: startedAt,
    to: endedAt === null ? Number.POSITIVE_INFINITY : endedAt + slackMs,
  }));
  return (time) => windows.some(({ from, to }) => time > from && time <= to);
}

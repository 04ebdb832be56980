import type { IterationSummary } from './strategy.ts';

/** Differences below this are rounding, not change. */
const epsilon = 1e-9;

/** Mean check score of an iteration, 0..1; null when no check gave a result. */
export function levelOf(summary: Pick<IterationSummary, 'checkScores'>): number | null {
  const scores = Object.values(summary.checkScores);
  if (scores.length === 0) return null;
  return scores.reduce((sum, score) => sum + score, 0) / scores.length;
}

/** Best level of several iterations; null when none has a level. */
export function bestLevelOf(summaries: readonly IterationSummary[]): number | null {
  return summaries.reduce<number | null>((best, each) => higher(best, levelOf(each)), null);
}

export function higher(a: number | null, b: number | null): number | null {
  if (a === null) return b;
  return b === null ? a : Math.max(a, b);
}

/** `0.3 - 0.2` is less than `0.1` in binary, yet it is a rise of a tenth. */
export function roseBy(from: number, to: number, amount: number): boolean {
  return to - from >= amount - epsilon;
}

export function isAbove(value: number, best: number): boolean {
  return value > best + epsilon;
}

import type { Iteration } from '../loop/loop.ts';
import type { Guidance } from '../task/task.ts';

/** Longer texts are about this task; a learning is a sentence or two. */
const maxChars = 1000;

/** What a person told the agent before an iteration whose checks passed: worth offering to other tasks. */
export function offeredGuidance(
  guidance: readonly Guidance[],
  { startedAt, report }: Pick<Iteration, 'startedAt' | 'report'>,
): readonly string[] {
  if (report?.overall.passed !== true) return [];
  return guidance.flatMap(({ time, text }) =>
    time < startedAt && text.length <= maxChars ? [text] : [],
  );
}

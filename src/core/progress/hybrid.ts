import { singleLine } from '../prompt/inline.ts';
import { fence } from '../text/fence.ts';
import type { ProgressEntry } from './entry.ts';
import { summaryOf } from './llm-summary.ts';
import type { ProgressRenderer } from './strategy.ts';
import { systemCaptured } from './system-captured.ts';

/** Summaries first, then the raw record they were made from. */
export const hybrid: ProgressRenderer = {
  renderEntry: (entry, maxChars) => renderAll([entry], maxChars),
  renderAll,
};

function renderAll(entries: readonly ProgressEntry[], maxChars: number): string {
  const summaries = entries.map((entry) => renderSummary(entry, maxChars)).join('\n');
  const raw = systemCaptured.renderAll(entries, maxChars);
  return `## Summary\n${summaries}\n\n## Raw Output\n${raw}`;
}

function renderSummary(entry: ProgressEntry, maxChars: number): string {
  const summary = summaryOf(entry, maxChars);
  if (summary !== null) return `Iteration ${entry.iteration}:\n${fence(summary)}`;
  const why = entry.summaryError ?? null;
  const reason = why === null ? '' : ` (${singleLine(why, 120)})`;
  return `Iteration ${entry.iteration}: no summary${reason}, see the raw output.`;
}

import { inlineCode, singleLine } from '../prompt/inline.ts';
import { fence } from '../text/fence.ts';
import { listedName } from '../text/file-name.ts';
import type { ProgressEntry } from './entry.ts';
import { renderOutput } from './output.ts';
import type { ProgressRenderer } from './strategy.ts';

const maxFiles = 30;

/** The engine's own record of an iteration: what ran, how it ended, what it printed last. */
export const systemCaptured: ProgressRenderer = {
  renderEntry,
  renderAll: (entries, maxChars) =>
    entries.map((entry) => renderEntry(entry, maxChars)).join('\n\n'),
};

function renderEntry(entry: ProgressEntry, maxChars: number): string {
  return [
    `## Iteration ${entry.iteration}`,
    `**Command:** ${inlineCode(entry.command, 300)}`,
    `**Exit code:** ${entry.exitCode ?? 'none'}`,
    `**Duration:** ${entry.durationMs}ms`,
    `**Files changed:** ${fileList(entry.filesChanged)}`,
    '**Output:**',
    fence(renderOutput(entry.stdout, entry.stderr, maxChars)),
  ].join('\n');
}

function fileList(files: readonly string[]): string {
  if (files.length === 0) return 'none';
  const listed = files.slice(0, maxFiles).map((file) => singleLine(listedName(file)));
  const more = files.length - listed.length;
  return more > 0 ? `${listed.join(', ')} and ${more} more` : listed.join(', ');
}

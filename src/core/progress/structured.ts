import { singleLine } from '../prompt/inline.ts';
import type { ProgressEntry } from './entry.ts';
import type { ProgressRenderer } from './strategy.ts';

const maxFiles = 100;

/** Entries as a JSON list, for templates and agents that want data rather than text. */
export const structured: ProgressRenderer = {
  renderEntry: (entry, maxChars) => JSON.stringify(record(entry, maxChars), null, 2),
  renderAll: (entries, maxChars) =>
    JSON.stringify(
      entries.map((entry) => record(entry, maxChars)),
      null,
      2,
    ),
};

function record(entry: ProgressEntry, maxChars: number): Readonly<Record<string, unknown>> {
  const error = entry.errorSummary ?? firstError(entry);
  return {
    iteration: entry.iteration,
    exit_code: entry.exitCode,
    duration_ms: entry.durationMs,
    files_changed: entry.filesChanged.slice(0, maxFiles),
    error_summary: error === null ? null : singleLine(error, maxChars),
  };
}

/** The first line that speaks of a failure, else the last line; null when the command succeeded or was silent. */
function firstError({ exitCode, stdout, stderr }: ProgressEntry): string | null {
  if (exitCode === 0) return null;
  const lines = `${stderr}\n${stdout}`.split('\n').filter((line) => line.trim() !== '');
  return lines.find((line) => /error|fail|panic|exception/i.test(line)) ?? lines.at(-1) ?? null;
}

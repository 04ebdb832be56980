import { countChars, headChars } from '../text/code-points.ts';

/** What speaks most clearly of a failure comes first. */
const speakOfFailure: readonly RegExp[] = [
  /(?:Error|Exception)\b|\bpanic/,
  /assert|expected/i,
  /error|not ok|not found|cannot|no such|fail/i,
];

/** Fields of TAP that only classify an error, and counts of failures that are none. */
const saysNothing =
  /^ *(?:name|code|failureType|type): '|\b0 (?:errors?|fail)|\b(?:errors?|fail(?:ed|ures?)?):? 0\b/i;

/** The place of the line that says best what is wrong; -1 when none speaks of a failure. */
export function errorLineIndex(lines: readonly string[]): number {
  for (const pattern of speakOfFailure) {
    const index = lines.findIndex((line) => pattern.test(line) && !saysNothing.test(line));
    if (index !== -1) return index;
  }
  return -1;
}

/** The line that says best what is wrong, else the last one; null when the output is empty. */
export function firstError(output: string): string | null {
  const lines = output.split('\n').filter((each) => each.trim() !== '');
  return lines[errorLineIndex(lines)] ?? lines.at(-1) ?? null;
}

export const truncationMark = '...[truncated]...';
const maxLeadChars = 120;

/**
 * About `max` characters of an output: all of it, else from the line that says best what is wrong, else its last lines.
 * Says where something is left out, on top of the limit.
 */
export function excerpt(output: string, max: number): string {
  if (countChars(output) <= max) return output;
  const lines = output.split('\n');
  const index = errorLineIndex(lines);
  const start = index === -1 ? firstOfTail(lines, max) : withLead(lines, index);
  const rest = lines.slice(start).join('\n');
  const head = headChars(rest, max);
  return [
    ...(start > 0 ? [truncationMark] : []),
    head,
    ...(head === rest ? [] : [truncationMark]),
  ].join('\n');
}

/** A short line before the error says what it belongs to. */
function withLead(lines: readonly string[], index: number): number {
  const lead = lines[index - 1];
  return lead !== undefined && lead.trim() !== '' && lead.length <= maxLeadChars
    ? index - 1
    : index;
}

/** Where the last lines that fit begin; at least the last one. */
function firstOfTail(lines: readonly string[], max: number): number {
  let start = lines.length - 1;
  let left = max - countChars(lines[start] ?? '');
  while (start > 0) {
    left -= countChars(lines[start - 1] ?? '') + 1;
    if (left < 0) break;
    start--;
  }
  return start;
}

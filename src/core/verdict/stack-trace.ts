import { headChars } from '../text/code-points.ts';
import { plainText } from '../text/terminal.ts';

const maxStackChars = 500;
const maxLineUnits = 500;

/** Lines that name a place in a trace: JavaScript and Java, Python, Ruby, Go, Rust and C#. */
const frames: readonly RegExp[] = [
  /^\s+at \S/,
  /^\s*File "[^"]{1,300}", line \d/,
  /^\s+from \S+:\d+:in /,
  /^\s+\S+\.go:\d+/,
  /^\s*\d+: +(?:0x[0-9a-f]+ - )?\S+::/,
];

/** A trace begins at most so many lines before its first frame. */
const maxLeadLines = 3;

/**
 * The first stack trace of an output with the error above it, bounded; null when there is none. Linear: each line is looked at
 * once, and only its beginning.
 */
export function stackIn(output: string): string | null {
  const lines = output.split('\n').map((line) => plainText(line.slice(0, maxLineUnits)).trimEnd());
  const first = lines.findIndex(isFrame);
  if (first === -1) return null;
  const start = leadOf(lines, first);
  let end = first;
  // Python and Rust show a line of code under each frame, and Python its error under the last.
  while (end < lines.length && (lines[end]?.trim() ?? '') !== '') end++;
  return headChars(lines.slice(start, end).join('\n').trim(), maxStackChars);
}

function isFrame(line: string): boolean {
  return frames.some((frame) => frame.test(line));
}

/** The paragraph above the first frame, as far as it is short. */
function leadOf(lines: readonly string[], first: number): number {
  let start = first;
  while (start > 0 && first - start < maxLeadLines && (lines[start - 1]?.trim() ?? '') !== '') {
    start--;
  }
  return start;
}

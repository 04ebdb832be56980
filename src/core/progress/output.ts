import { countChars, tailChars } from '../text/code-points.ts';

export const truncationMarker = '...[truncated]...';

/**
 * Both streams within `maxChars` code points, the ends kept. When both have text each gets half, and room that
 * one does not use goes to the other. Markers stand on their own lines and are not counted.
 */
export function renderOutput(stdout: string, stderr: string, maxChars: number): string {
  const out = stdout.trim();
  const err = stderr.trim();
  if (err === '') return keepTail(out, maxChars);
  if (out === '') return keepTail(err, maxChars);
  const half = Math.floor(maxChars / 2);
  const outRoom = Math.max(half, maxChars - countUpTo(err, maxChars));
  const errRoom = Math.max(maxChars - half, maxChars - countUpTo(out, maxChars));
  return `${keepTail(out, outRoom)}\n${keepTail(err, errRoom)}`;
}

function keepTail(text: string, maxChars: number): string {
  if (countUpTo(text, maxChars + 1) <= maxChars) return text;
  return `${truncationMarker}\n${tailChars(text, maxChars)}`;
}

/** Code points of a text, counted no further than needed. */
function countUpTo(text: string, max: number): number {
  return Math.min(max, countChars(text.slice(0, max * 2)));
}

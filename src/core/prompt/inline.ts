import { countChars, headChars } from '../text/code-points.ts';

/** Line breaks, control characters and direction overrides: nothing that can leave its line or hide on it. */
// eslint-disable-next-line no-control-regex
const unsafe = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g;

/** Foreign text as part of one line, at most `max` characters and an ellipsis. */
export function singleLine(text: string, max = 200): string {
  // Cut before cleaning: the work stays bounded whatever comes in.
  const line = text
    .slice(0, max * 4)
    .replace(unsafe, ' ')
    .replace(/ {2,}/g, ' ')
    .trim();
  if (countChars(line) <= max && text.length <= max * 4) return line;
  return `${headChars(line, max).trimEnd()}…`;
}

/** Foreign text as inline code; no run of backticks in it can end the code early. */
export function inlineCode(text: string, max = 200): string {
  const line = singleLine(text, max);
  if (line === '') return '(none)';
  const ticks = '`'.repeat(longestRun(line) + 1);
  const padding = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${ticks}${padding}${line}${padding}${ticks}`;
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
}

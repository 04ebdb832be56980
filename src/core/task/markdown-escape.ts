import { checkboxOf, fenceOf, nextFence } from './checkbox.ts';

/** Text of a description as lines that a reader of checklists takes for text. */
export function escapeLines(lines: readonly string[]): readonly string[] {
  let open: string | null = null;
  for (const line of lines) open = nextFence(open, line);
  const balanced = open === null;
  return lines.map((line) => {
    const { lead, slashes, rest } = splitLine(line);
    const isBox = checkboxOf(rest) !== null;
    const isFence = fenceOf(rest) !== null && (slashes !== '' || !balanced);
    return isBox || isFence ? `${lead}\\${slashes}${rest}` : line;
  });
}

export function unescapeLine(line: string): string {
  const { lead, slashes, rest } = splitLine(line);
  if (slashes === '' || (checkboxOf(rest) === null && fenceOf(rest) === null)) return line;
  return `${lead}${slashes.slice(1)}${rest}`;
}

function splitLine(line: string): {
  readonly lead: string;
  readonly slashes: string;
  readonly rest: string;
} {
  const lead = /^[ \t]*/.exec(line)?.[0] ?? '';
  const slashes = /^\\*/.exec(line.slice(lead.length))?.[0] ?? '';
  return { lead, slashes, rest: line.slice(lead.length + slashes.length) };
}

/** A title whose end would be read as a note gets a backslash before it. */
export function escapeTitle(title: string): string {
  const start = noteStart(title);
  return start === null ? title : `${title.slice(0, start)}\\${title.slice(start)}`;
}

export function unescapeTitle(title: string): string {
  const start = noteStart(title);
  if (start === null || title[start - 1] !== '\\') return title;
  return title.slice(0, start - 1) + title.slice(start);
}

function noteStart(title: string): number | null {
  const start = title.lastIndexOf('(');
  return start !== -1 && /^\((?:after|priority):[^()]*\)$/i.test(title.slice(start)) ? start : null;
}

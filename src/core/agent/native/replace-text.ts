/** Exact replacement of text, and what it changed as a short diff. */

export type Replacement =
  | {
      readonly kind: 'replaced';
      readonly text: string;
      readonly count: number;
      readonly diff: string;
    }
  | { readonly kind: 'missing' }
  /** More than one place fits; the lines where they begin, the first few. */
  | { readonly kind: 'ambiguous'; readonly count: number; readonly lines: readonly number[] };

const contextLines = 3;
const maxHunks = 5;
const maxHunkLines = 60;
const shownPlaces = 5;

/** `find` is literal and not empty. With `all` every place is replaced, otherwise there must be exactly one. */
export function replaceText(
  text: string,
  find: string,
  replace: string,
  all: boolean,
): Replacement {
  const places = placesOf(text, find);
  if (places.length === 0) return { kind: 'missing' };
  if (places.length > 1 && !all) {
    const lines = places.slice(0, shownPlaces).map((at) => lineAt(text, at));
    return { kind: 'ambiguous', count: places.length, lines };
  }
  const diff = places
    .slice(0, maxHunks)
    .map((at) => hunk(text, at, find, replace))
    .join('\n');
  const more = places.length > maxHunks ? `\n… and ${places.length - maxHunks} more places` : '';
  const changed = text.split(find).join(replace);
  return { kind: 'replaced', text: changed, count: places.length, diff: diff + more };
}

function placesOf(text: string, find: string): readonly number[] {
  const places: number[] = [];
  let at = text.indexOf(find);
  while (at !== -1) {
    places.push(at);
    at = text.indexOf(find, at + find.length);
  }
  return places;
}

function lineAt(text: string, at: number): number {
  let line = 1;
  for (let i = text.indexOf('\n'); i !== -1 && i < at; i = text.indexOf('\n', i + 1)) line += 1;
  return line;
}

/** One place in unified form, numbered by the old text. */
function hunk(text: string, at: number, find: string, replace: string): string {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  const newline = text.indexOf('\n', at + find.length);
  const end = newline === -1 ? text.length : newline;
  const before = text
    .slice(0, Math.max(start - 1, 0))
    .split('\n')
    .slice(-contextLines);
  const after = text.slice(end + 1).split('\n', contextLines);
  const removed = text.slice(start, end).split('\n');
  const added = (text.slice(start, at) + replace + text.slice(at + find.length, end)).split('\n');
  const lines = [
    ...(start === 0 ? [] : before.map((line) => ` ${line}`)),
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    ...(newline === -1 ? [] : after.map((line) => ` ${line}`)),
  ];
  const cut = lines.length - maxHunkLines;
  const shown = cut > 0 ? [...lines.slice(0, maxHunkLines), `… ${cut} more lines`] : lines;
  return [`@@ line ${lineAt(text, start)} @@`, ...shown].join('\n');
}

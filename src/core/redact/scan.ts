/** Finds secrets in one stretch of a text, given what came before it. */
import type { Found, Input, Match, Rest, Shape } from './shape.ts';
import type { Starters } from './starters.ts';
import { isWordStart } from './word-start.ts';

/** What is known to be covered when more data comes. */
export type Cover = {
  /** Nothing was passed on since the last mark: what is covered right after it needs no other one. */
  readonly isOpen: boolean;
  /** Of the data to come; one that has a rest goes on behind its end. */
  readonly ranges: readonly Match[];
};

export const noCover: Cover = { isOpen: false, ranges: [] };

/** What becomes of the data, in order. What no piece names is covered. */
export type Piece =
  | { readonly kind: 'kept'; readonly from: number; readonly to: number }
  | { readonly kind: 'mark'; readonly at: number };

export type Scanned = {
  readonly pieces: readonly Piece[];
  /** Up to here the data is dealt with. */
  readonly end: number;
  readonly cover: Cover;
};

export function scan(starters: Starters, input: Input, before: Cover): Scanned {
  const { data, isLast } = input;
  const ranges = before.ranges.map((range) =>
    range.rest === null ? range : { start: range.start, ...range.rest(data, range.end) },
  );
  let end = isLast ? data.length : starters.firstUnfinished(data);
  for (let at = starters.next(input, 0); at !== -1; at = starters.next(input, at + 1)) {
    const found = matchAt(starters, input, at);
    if (found === 'unfinished') {
      end = Math.min(end, at);
      break;
    }
    if (found !== null) ranges.push(found);
  }
  const { pieces, isOpen } = piecesOf(ranges, end, before.isOpen);
  return { pieces, end, cover: { isOpen, ranges: left(ranges, end) } };
}

/** Ranges that touch become one mark. */
function piecesOf(ranges: readonly Match[], end: number, wasOpen: boolean) {
  const pieces: Piece[] = [];
  let isOpen = wasOpen;
  let done = 0;
  const keepUntil = (to: number): void => {
    if (to <= done) return;
    pieces.push({ kind: 'kept', from: done, to });
    isOpen = false;
  };
  for (const range of ranges.toSorted((a, b) => a.start - b.start)) {
    if (range.start >= end) break;
    keepUntil(range.start);
    if (!isOpen) pieces.push({ kind: 'mark', at: range.start });
    isOpen = true;
    done = Math.max(done, Math.min(range.end, end));
  }
  keepUntil(end);
  return { pieces, isOpen };
}

/** What of the ranges concerns the data behind `end`, which comes next. */
function left(ranges: readonly Match[], end: number): readonly Match[] {
  const known = new Set<Rest>();
  return ranges.flatMap((range) => {
    const rest = range.rest === null || known.has(range.rest) ? null : range.rest;
    if (rest !== null) known.add(rest);
    if (range.end <= end && rest === null) return [];
    return [{ start: Math.max(range.start - end, 0), end: range.end - end, rest }];
  });
}

/** The longest of what begins here. */
function matchAt(starters: Starters, input: Input, at: number): Found {
  const starter = starters.at(input.data, at);
  let longest: Match | null = null;
  for (const form of starter?.forms ?? []) {
    const found = startsWith(input, at, form);
    if (found === 'unfinished') return found;
    if (found) longest = longer(longest, { start: at, end: at + form.length, rest: null });
  }
  for (const shape of starter?.shapes ?? []) {
    const found = matchShape(input, at, shape);
    if (found === 'unfinished') return found;
    longest = longer(longest, found);
  }
  return longest;
}

function matchShape(input: Input, at: number, shape: Shape): Found {
  if (!shape.isAnywhere && !isWordStart(input, at)) return null;
  const found = startsWith(input, at, shape.prefix);
  if (found !== true) return found === 'unfinished' ? found : null;
  return shape.match(input, at, at + shape.prefix.length);
}

function startsWith({ data, isLast }: Input, at: number, text: Uint8Array): boolean | 'unfinished' {
  const until = Math.min(text.length, data.length - at);
  for (let i = 0; i < until; i += 1) if (data[at + i] !== text[i]) return false;
  if (until === text.length) return true;
  return isLast ? false : 'unfinished';
}

/** Of two matches at one place everything is covered. */
function longer(a: Match | null, b: Match | null): Match | null {
  if (a === null || b === null) return a ?? b;
  return {
    start: Math.min(a.start, b.start),
    end: Math.max(a.end, b.end),
    rest: a.rest ?? b.rest,
  };
}

/**
 * Takes secrets out of a stream of bytes before anybody keeps it. Works on bytes, so that what is no text passes unharmed, and
 * gives the same result however the stream is cut: what may be the beginning of a secret is held back until that is
 * certain. Holds some hundred bytes at most, more only where escape sequences stand between them, and needs time linear in what
 * it is given.
 *
 * Secrets are looked for in what the stream shows, without its escape sequences, and from the first such sequence on once more
 * in the bytes as they are. Every occurrence of every secret is covered, also where they overlap; what is covered at a stretch
 * becomes one mark, and sequences in the middle of it go with it.
 */
import { ascii, concat, joined, nothing } from './bytes.ts';
import { createEscapeLexer, type Gap, type Lexed } from './escape-lexer.ts';
import { noCover, scan, type Piece } from './scan.ts';
import { secretForms } from './secret-forms.ts';
import { shapes } from './shapes.ts';
import { createStarters, type Starters } from './starters.ts';
import { lookBehind } from './word-start.ts';

export type Redactor = {
  /** What can be passed on now: parts of what was given, and marks. Parts may be views of the chunk. */
  push(chunk: Uint8Array): readonly Uint8Array[];
  /** The rest. Nothing can be pushed afterwards. */
  end(): readonly Uint8Array[];
};

/** Makes redactors, one for each stream. */
export type Redaction = {
  /** Hides what is known by now. */
  stream(): Redactor;
  /** Streams made from now on hide these values as well. */
  learn(secrets: readonly string[]): void;
};

const redactedMark = ascii('[redacted]');

/** Hides these values, in all their forms, and everything that looks like a secret. */
export function createRedaction(secrets: readonly string[]): Redaction {
  const known = new Set(secrets);
  let starters: Starters | null = null;
  return {
    stream() {
      starters ??= createStarters(secretForms([...known]), shapes);
      return createRedactor(starters);
    },
    learn(values) {
      const { size } = known;
      for (const value of values) known.add(value);
      if (known.size > size) starters = null;
    },
  };
}

function createRedactor(starters: Starters): Redactor {
  const lexer = createEscapeLexer();
  const shown = createLayer(starters);
  /** What an escape sequence is taken for may be text all the same. */
  let asItIs: Layer | null = null;

  function take(lexed: Lexed, isLast: boolean): readonly Uint8Array[] {
    const { parts, firstGap } = shown.take(lexed, isLast);
    if (asItIs === null && firstGap === null) return parts;
    const all = concat(parts);
    const from = asItIs === null ? (firstGap ?? 0) : 0;
    asItIs ??= createLayer(starters);
    const bytes = all.subarray(from);
    const rest = asItIs.take({ bytes, visible: bytes, gaps: [] }, isLast).parts;
    return from === 0 ? rest : [all.subarray(0, from), ...rest];
  }

  return {
    push: (chunk) => (chunk.length === 0 ? [] : take(lexer.push(chunk), false)),
    end: () => take(lexer.end(), true),
  };
}

type Layer = { take(lexed: Lexed, isLast: boolean): Taken };

type Taken = {
  readonly parts: readonly Uint8Array[];
  /** How many bytes of the parts stand before their first gap; null when they have none. */
  readonly firstGap: number | null;
};

/** One look for secrets. */
function createLayer(starters: Starters): Layer {
  let held: Lexed = { bytes: nothing, visible: nothing, gaps: [] };
  let behind = nothing;
  let cover = noCover;
  return {
    take(lexed, isLast) {
      const all = both(held, lexed);
      const { visible: data, gaps } = all;
      const isCutAt = (index: number): boolean => gaps[gapFrom(gaps, index)]?.at === index;
      const { pieces, end, cover: next } = scan(starters, { data, behind, isLast, isCutAt }, cover);
      cover = next;
      behind = lastBytes(behind, data.subarray(0, end));
      held = isLast ? { bytes: nothing, visible: nothing, gaps: [] } : behindOf(all, end);
      return partsOf(all, pieces, isLast);
    },
  };
}

/** The index of the first gap at or behind this place. */
function gapFrom(gaps: readonly Gap[], at: number): number {
  let [low, high] = [0, gaps.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((gaps[middle]?.at ?? at) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

function both(a: Lexed, b: Lexed): Lexed {
  if (a.bytes.length === 0) return b;
  const moved = b.gaps.map(({ at, size }) => ({ at: at + a.visible.length, size }));
  const [last, first] = [a.gaps.at(-1), moved[0]];
  const isOne = last !== undefined && last.at === first?.at;
  const gaps = isOne
    ? [...a.gaps.slice(0, -1), { at: last.at, size: last.size + first.size }, ...moved.slice(1)]
    : [...a.gaps, ...moved];
  const bytes = joined(a.bytes, b.bytes);
  return { bytes, visible: gaps.length === 0 ? bytes : joined(a.visible, b.visible), gaps };
}

/** What is left when so much of the visible bytes is dealt with; the gap there has to wait for what follows it. */
function behindOf({ bytes, visible, gaps }: Lexed, end: number): Lexed {
  const first = gapFrom(gaps, end);
  const skipped = end + sizeOf(gaps.slice(0, first));
  return {
    bytes: new Uint8Array(bytes.subarray(skipped)),
    visible: new Uint8Array(visible.subarray(end)),
    gaps: gaps.slice(first).map(({ at, size }) => ({ at: at - end, size })),
  };
}

function sizeOf(gaps: readonly Gap[]): number {
  return gaps.reduce((sum, { size }) => sum + size, 0);
}

/** The pieces with their gaps; a gap within what is covered goes with it, one before or behind it stays. */
function partsOf(
  { bytes, visible, gaps }: Lexed,
  pieces: readonly Piece[],
  isLast: boolean,
): Taken {
  const parts: Uint8Array[] = [];
  let length = 0;
  let firstGap: number | null = null;
  const push = (part: Uint8Array): void => {
    if (part.length > 0) parts.push(part);
    length += part.length;
  };
  let next = 0;
  let skipped = 0;
  /** Where the visible byte `at` is found, without or with the gap before it. */
  const place = (at: number, isBehindGap: boolean): number => {
    for (let gap = gaps[next]; gap !== undefined; gap = gaps[next]) {
      if (gap.at > at || (gap.at === at && !isBehindGap)) break;
      skipped += gap.size;
      next += 1;
    }
    return at + skipped;
  };
  /** What stands before `to`, from the gap before `from` on. */
  const show = (from: number, to: number, isBehindGap: boolean): void => {
    const start = place(from, false);
    const gap = gaps[next];
    const hasGap = gap !== undefined && (gap.at < to || (gap.at === to && isBehindGap));
    if (hasGap) firstGap ??= length + gap.at - from;
    push(bytes.subarray(start, place(to, isBehindGap)));
  };
  for (const piece of pieces) {
    if (piece.kind === 'kept') show(piece.from, piece.to, false);
    else {
      show(piece.at, piece.at, true);
      push(redactedMark);
    }
  }
  // At the very end of a stream.
  if (isLast) show(visible.length, visible.length, true);
  return { parts, firstGap };
}

function lastBytes(a: Uint8Array, b: Uint8Array): Uint8Array {
  return new Uint8Array((b.length >= lookBehind ? b : joined(a, b)).subarray(-lookBehind));
}

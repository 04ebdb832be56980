/**
 * Tells escape sequences and control characters from what a stream of bytes shows, so that a secret is found although its
 * colour changes in the middle. Also known are sequences as programs write them down: `\u001b[31m`, `\x1b[31m`, `\033[31m`.
 * A sequence that is not complete within some bytes is text. The same bytes give the same result however they are cut.
 */
import { ascii, classOf, endOfRun, joined, nothing, type ByteClass } from './bytes.ts';

/** So many bytes that are not shown stand before the byte `at` of what is. */
export type Gap = { readonly at: number; readonly size: number };

/** Some bytes, and what they show; gaps in order, one in a place. */
export type Lexed = {
  readonly bytes: Uint8Array;
  readonly visible: Uint8Array;
  readonly gaps: readonly Gap[];
};

export type EscapeLexer = {
  push(chunk: Uint8Array): Lexed;
  /** The rest. */
  end(): Lexed;
};

const longestParameters = 64;
const longestString = 1024;
/** In one place; what comes on top is text, so that little has to be held back. */
const longestGap = 2048;

/** Bytes at which a look is needed: control characters, `\`, and the first byte of a C1 character in UTF-8. */
const special: ByteClass = Uint8Array.from({ length: 256 }, (_, byte) =>
  (byte < 0x20 && byte !== 0x0a && byte !== 0x09) || byte === 0x7f || byte === 0x5c || byte === 0xc2
    ? 1
    : 0,
);
const specialPairs = Uint8Array.from(
  { length: 65_536 },
  (_, pair) => (special[pair >> 8] ?? 0) | (special[pair & 0xff] ?? 0),
);
const parameters = between(0x20, 0x3f);
const finals = between(0x40, 0x7e);
const intermediates = between(0x20, 0x2f);
const shortFinals = between(0x30, 0x7e);
const stringIntroducers = classOf('PX]^_');
const backslash = 0x5c;
const carriageReturn = 0x0d;

/** How programs write ESC and BEL down, behind any number of backslashes. */
const writtenEscapes = ['u001b', 'u001B', 'x1b', 'x1B', '033', 'e['].map(ascii);
const writtenBells = ['u0007', 'x07', '007', 'a'].map(ascii);
const writtenStarts = classOf('ux0e');

export function createEscapeLexer(): EscapeLexer {
  let held = nothing;
  /** Bytes of the gap at the present place. */
  let gapSize = 0;

  function take(data: Uint8Array, isLast: boolean): Lexed {
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    const gaps: Gap[] = [];
    let shown: Uint8Array | null = null;
    let size = 0;
    /** Where the text that is being read begins, and the gap before it. */
    let [from, gapFrom] = [0, 0];
    const close = (until: number): void => {
      if (from > gapFrom) gaps.push({ at: size, size: from - gapFrom });
      shown ??= new Uint8Array(data.length);
      copy(data, from, until, shown, size);
      size += until - from;
      if (until > from) gapSize = 0;
    };
    let i = nextSpecial(view, 0);
    for (; i < data.length; i = nextSpecial(view, i)) {
      const end = endOfEscape(data, i, isLast);
      if (end === 'unfinished') break;
      const isGap = end > i && (i > from ? 0 : gapSize) + end - i <= longestGap;
      if (isGap && i > from) {
        close(i);
        gapFrom = i;
      }
      if (isGap) {
        gapSize += end - i;
        from = end;
      }
      i = Math.max(end, i + 1);
    }
    held = i < data.length ? data.slice(i) : nothing;
    const bytes = i < data.length ? data.subarray(0, i) : data;
    if (from === 0 && i > 0) gapSize = 0;
    if (from === 0) return { bytes, visible: bytes, gaps };
    close(i);
    return { bytes, visible: (shown ?? nothing).subarray(0, size), gaps };
  }

  return {
    push: (chunk) => take(joined(held, chunk), false),
    end: () => take(held, true),
  };
}

/** Two bytes at a step; the end of the data when there is none. */
function nextSpecial(view: DataView, from: number): number {
  const last = view.byteLength - 1;
  let i = from;
  while (i < last && specialPairs[view.getUint16(i)] === 0) i += 2;
  while (i <= last && special[view.getUint8(i)] === 0) i += 1;
  return i;
}

/** Where the sequence that begins here ends; `start` when there is none. */
function endOfEscape(data: Uint8Array, start: number, isLast: boolean): number | 'unfinished' {
  const byte = data[start] ?? 0;
  if (byte === 0x1b) return endBehindEscape(data, start + 1, isLast, start + 1);
  if (byte === backslash) return endOfWritten(data, start, isLast);
  if (byte !== 0xc2 && byte !== carriageReturn) return start + 1;
  if (start + 1 === data.length) return isLast ? start : 'unfinished';
  // The end of a line is no secret's middle.
  if (byte === carriageReturn) return data[start + 1] === 0x0a ? start : start + 1;
  const second = data[start + 1] ?? 0;
  if (second < 0x80 || second > 0x9f) return start;
  const behind = start + 2;
  if (second === 0x9b) return endOfParameters(data, behind, isLast, behind);
  const isString = stringIntroducers[second - 0x40] === 1;
  return isString ? endOfString(data, behind, isLast, behind) : behind;
}

function endOfWritten(data: Uint8Array, start: number, isLast: boolean): number | 'unfinished' {
  const limit = start + 4;
  let i = start;
  while (i < limit && data[i] === backslash) i += 1;
  if (i === data.length) return isLast ? start : 'unfinished';
  if (writtenStarts[data[i] ?? 0] === 0) return start;
  const found = oneOf(writtenEscapes, data, i, isLast);
  if (found === 'unfinished') return found;
  if (found === null) return start;
  const behind = i + found.length - (found === writtenEscapes.at(-1) ? 1 : 0);
  return endBehindEscape(data, behind, isLast, behind);
}

/** `alone` is where it ends when what follows the ESC is nothing known. */
function endBehindEscape(
  data: Uint8Array,
  from: number,
  isLast: boolean,
  alone: number,
): number | 'unfinished' {
  if (from === data.length) return isLast ? alone : 'unfinished';
  const byte = data[from] ?? 0;
  if (byte === 0x5b) return endOfParameters(data, from + 1, isLast, alone);
  if (stringIntroducers[byte] === 1) return endOfString(data, from + 1, isLast, alone);
  const end = endOfRun(intermediates, data, from, from + 4);
  if (end === data.length) return isLast ? alone : 'unfinished';
  return shortFinals[data[end] ?? 0] === 1 ? end + 1 : alone;
}

function endOfParameters(
  data: Uint8Array,
  from: number,
  isLast: boolean,
  alone: number,
): number | 'unfinished' {
  const end = endOfRun(parameters, data, from, from + longestParameters);
  if (end === data.length) return isLast ? alone : 'unfinished';
  return finals[data[end] ?? 0] === 1 ? end + 1 : alone;
}

/** A title or a link: up to BEL or ST, on one line. */
function endOfString(
  data: Uint8Array,
  from: number,
  isLast: boolean,
  alone: number,
): number | 'unfinished' {
  const limit = Math.min(from + longestString, data.length);
  for (let i = from; i < limit; i += 1) {
    const byte = data[i] ?? 0;
    if (byte === 0x07) return i + 1;
    if (byte === 0x0a) return alone;
    if (byte !== 0x1b && byte !== backslash && byte !== 0xc2) continue;
    const end = endOfTerminator(data, i, isLast);
    if (end === 'unfinished') return end;
    if (end !== i) return end;
    if (byte === 0x1b) return alone;
  }
  return limit === data.length && !isLast && limit - from < longestString ? 'unfinished' : alone;
}

/** `start` when there is none here. */
function endOfTerminator(data: Uint8Array, start: number, isLast: boolean): number | 'unfinished' {
  const next = data[start + 1];
  if (next === undefined) return isLast ? start : 'unfinished';
  if (data[start] === 0xc2) return next === 0x9c ? start + 2 : start;
  if (data[start] === 0x1b) return next === backslash ? start + 2 : start;
  let i = start;
  while (i < start + 4 && data[i] === backslash) i += 1;
  if (i === data.length) return isLast ? start : 'unfinished';
  const bell = oneOf(writtenBells, data, i, isLast);
  if (bell === 'unfinished') return bell;
  if (bell !== null) return i + bell.length;
  const escape = oneOf(writtenEscapes.slice(0, -1), data, i, isLast);
  if (escape === 'unfinished') return escape;
  if (escape === null) return start;
  // A backslash is written as two where ESC is written with one.
  const [from, count] = [i + escape.length, 2 * (i - start)];
  const end = endOfRun(onlyBackslash, data, from, from + count);
  if (end === data.length && end - from < count && !isLast) return 'unfinished';
  return end === from ? start : end;
}

const onlyBackslash = classOf('\\');

/** The one of these words that stands here. */
function oneOf(
  words: readonly Uint8Array[],
  data: Uint8Array,
  at: number,
  isLast: boolean,
): Uint8Array | 'unfinished' | null {
  for (const word of words) {
    const until = Math.min(word.length, data.length - at);
    let i = 0;
    while (i < until && data[at + i] === word[i]) i += 1;
    if (i === word.length) return word;
    if (i === until && !isLast) return 'unfinished';
  }
  return null;
}

function between(first: number, last: number): ByteClass {
  return Uint8Array.from({ length: 256 }, (_, byte) => (byte >= first && byte <= last ? 1 : 0));
}

/** Stretches between escapes are short: making views of them would take longer. */
function copy(
  data: Uint8Array,
  from: number,
  until: number,
  into: Uint8Array,
  position: number,
): void {
  const shift = position - from;
  for (let i = from; i < until; i += 1) into[i + shift] = data[i] ?? 0;
}

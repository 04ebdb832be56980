/**
 * Text that is safe to show to a person: only printable characters, newlines and tabs remain.
 * Escape sequences and control characters are dropped, a carriage return becomes a line break, and characters that
 * are invisible or reorder the line are shown as `\u{202E}`. Total and linear.
 */
export function plainText(text: string): string {
  let out = '';
  let kept = 0;
  let i = 0;
  while (i < text.length) {
    const code = text.charCodeAt(i);
    if (isHarmless(code)) {
      i++;
      continue;
    }
    const { end, shown } = neutralise(text, i, code);
    if (end - i === shown.length && text.startsWith(shown, i)) {
      i = end;
      continue;
    }
    out += text.slice(kept, i) + shown;
    i = end;
    kept = end;
  }
  return kept === 0 ? text : out + text.slice(kept);
}

/** The text without escape sequences and without control characters other than newline and tab. */
export function stripEscapes(text: string): string {
  let out = '';
  let kept = 0;
  let i = 0;
  while (i < text.length) {
    const code = text.charCodeAt(i);
    if (!isControl(code)) {
      i++;
      continue;
    }
    out += text.slice(kept, i);
    i = skipControl(text, i);
    kept = i;
  }
  return kept === 0 ? text : out + text.slice(kept);
}

/**
 * The index behind the control character or escape sequence that starts at `start`. A string sequence (OSC, DCS,
 * APC …) without its terminator ends at the line's end, so that it cannot hide the text below it.
 */
export function skipControl(text: string, start: number): number {
  const code = text.charCodeAt(start);
  if (code === 0x1b) return skipEscape(text, start + 1);
  if (code === 0x9b) return skipParameters(text, start + 1);
  return isStringIntroducer(code) ? skipString(text, start + 1) : start + 1;
}

function skipEscape(text: string, index: number): number {
  const code = text.charCodeAt(index);
  if (code === 0x5b) return skipParameters(text, index + 1);
  if (isStringIntroducer(code + 0x40)) return skipString(text, index + 1);
  let i = index;
  while (isBetween(text.charCodeAt(i), 0x20, 0x2f)) i++;
  return isBetween(text.charCodeAt(i), 0x30, 0x7e) ? i + 1 : i;
}

function skipParameters(text: string, index: number): number {
  let i = index;
  while (isBetween(text.charCodeAt(i), 0x20, 0x3f)) i++;
  return isBetween(text.charCodeAt(i), 0x40, 0x7e) ? i + 1 : i;
}

function skipString(text: string, index: number): number {
  for (let i = index; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x0a) return i;
    if (code === 0x07 || code === 0x9c) return i + 1;
    if (code === 0x1b) return text.charCodeAt(i + 1) === 0x5c ? i + 2 : i;
  }
  return text.length;
}

/** C1 forms of DCS, SOS, OSC, PM and APC; the ESC forms are 0x40 below. */
function isStringIntroducer(code: number): boolean {
  return code === 0x90 || code === 0x98 || code === 0x9d || code === 0x9e || code === 0x9f;
}

function isHarmless(code: number): boolean {
  if (code < 0x7f) return code >= 0x20 || code === 0x0a || code === 0x09;
  if (code < 0xa0 || code === 0xad) return false;
  return code < 0x0600;
}

function isControl(code: number): boolean {
  if (code >= 0x20) return code >= 0x7f && code <= 0x9f;
  return code !== 0x0a && code !== 0x09;
}

function neutralise(text: string, index: number, code: number): { end: number; shown: string } {
  if (code === 0x0d) return { end: skipReturns(text, index), shown: '\n' };
  if (isControl(code)) return { end: skipControl(text, index), shown: '' };
  const point = text.codePointAt(index) ?? code;
  const end = index + (point > 0xffff ? 2 : 1);
  const shown = isInvisible(point)
    ? `\\u{${point.toString(16).toUpperCase()}}`
    : text.slice(index, end);
  return { end, shown };
}

/** `\r\n`, `\r\r\n` and a lone `\r` are one line break each. */
function skipReturns(text: string, index: number): number {
  let i = index;
  while (text.charCodeAt(i) === 0x0d) i++;
  return text.charCodeAt(i) === 0x0a ? i + 1 : i;
}

/** Zero-width, bidirectional, filler, tag and separator characters, and surrogates without a partner. */
const invisible: readonly (readonly [number, number])[] = [
  [0x00ad, 0x00ad],
  [0x061c, 0x061c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xd800, 0xdfff],
  // Variation selectors 15 and 16 choose between text and emoji style and are part of ordinary text.
  [0xfe00, 0xfe0d],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
];

function isInvisible(point: number): boolean {
  return invisible.some(([first, last]) => isBetween(point, first, last));
}

function isBetween(code: number, first: number, last: number): boolean {
  return code >= first && code <= last;
}

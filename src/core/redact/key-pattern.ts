/** Keys that are known by their looks: a prefix that nothing else has, and enough characters after it. */

export type KeyPattern = {
  readonly prefix: Uint8Array;
  /** Of the prefix, how much may be shown. */
  readonly shown: number;
  /** 1 for every byte that can be part of the key. */
  readonly body: Uint8Array;
  readonly shortest: number;
  /** A word such as `sk-estimator-html-doc-link` is no key: one has digits or capitals. */
  readonly isMixed: boolean;
};

/** How much of a body is looked at to decide. */
export const decisiveBytes = 64;

const upper = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const lower = upper.toLowerCase();
const digits = '0123456789';
const alphanumeric = upper + lower + digits;

export const keyPatterns: readonly KeyPattern[] = [
  pattern('sk-', `${alphanumeric}_-`, 20, { isMixed: true }),
  ...['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'].map((prefix) => pattern(prefix, alphanumeric, 30)),
  pattern('github_pat_', `${alphanumeric}_`, 22),
  pattern('glpat-', `${alphanumeric}_-`, 20),
  ...['AKIA', 'ASIA'].map((prefix) => pattern(prefix, upper + digits, 16)),
  ...['xoxa-', 'xoxb-', 'xoxe-', 'xoxp-', 'xoxr-', 'xoxs-'].map((prefix) =>
    pattern(prefix, `${alphanumeric}-`, 10),
  ),
  pattern('AIza', `${alphanumeric}_-`, 35),
  pattern('npm_', alphanumeric, 36),
  pattern('hf_', alphanumeric, 30),
  ...['Bearer ', 'bearer '].map((prefix) =>
    pattern(prefix, `${alphanumeric}._~+/=-`, 16, { isMixed: true, shown: prefix.length }),
  ),
];

function pattern(
  prefix: string,
  body: string,
  shortest: number,
  { isMixed = false, shown = 0 } = {},
): KeyPattern {
  return { prefix: ascii(prefix), body: classOf(body), shortest, isMixed, shown };
}

/** Whether these bytes, all of the body's kind, are a key and not a word. */
export function isKey(
  { shortest, isMixed }: KeyPattern,
  data: Uint8Array,
  from: number,
  end: number,
): boolean {
  if (end - from < shortest) return false;
  if (!isMixed) return true;
  const until = Math.min(end, from + decisiveBytes);
  for (let i = from; i < until; i += 1) if (mixed[data[i] ?? 0] === 1) return true;
  return false;
}

const mixed = classOf(upper + digits);

export function ascii(text: string): Uint8Array {
  return Uint8Array.from(text, (char) => char.charCodeAt(0));
}

export function classOf(chars: string): Uint8Array {
  const table = new Uint8Array(256);
  for (const byte of ascii(chars)) table[byte] = 1;
  return table;
}

const word = classOf(`${alphanumeric}_-`);
const hexDigit = classOf(`${digits}abcdefABCDEF`);
const escapedLetter = classOf('nrtbf');
const colour = classOf(`${digits};`);

/** How far back `isWordStart` looks. */
export const lookBehind = 12;

/**
 * Whether a word begins at `index`; `behind` is what came before the data. `task-x` holds no `sk-x`. What an escape ends
 * with belongs to the escape: `\\nsk-x`, `\\u003dsk-x`, `%3Dsk-x`, and colours.
 */
export function isWordStart(data: Uint8Array, index: number, behind: Uint8Array): boolean {
  const last = byteAt(data, index - 1, behind);
  if (last < 0 || word[last] !== 1) return true;
  const before = byteAt(data, index - 2, behind);
  if (before === 0x5c) return escapedLetter[last] === 1;
  if (last === 0x6d) return endsColour(data, index - 2, behind);
  if (hexDigit[last] !== 1 || hexDigit[before] !== 1) return false;
  const third = byteAt(data, index - 3, behind);
  if (third === 0x25) return true;
  return (
    hexDigit[third] === 1 &&
    hexDigit[byteAt(data, index - 4, behind)] === 1 &&
    byteAt(data, index - 5, behind) === 0x75 &&
    byteAt(data, index - 6, behind) === 0x5c
  );
}

/** Digits and semicolons between `[` and the final `m`. */
function endsColour(data: Uint8Array, last: number, behind: Uint8Array): boolean {
  let index = last;
  const first = last - lookBehind + 2;
  while (index > first && colour[byteAt(data, index, behind)] === 1) index -= 1;
  return byteAt(data, index, behind) === 0x5b;
}

/** -1 where there is none. */
function byteAt(data: Uint8Array, index: number, behind: Uint8Array): number {
  return (index >= 0 ? data[index] : behind[behind.length + index]) ?? -1;
}

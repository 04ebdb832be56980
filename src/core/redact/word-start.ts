import { chars, classOf } from './bytes.ts';
import type { Input } from './shape.ts';

const word = classOf(`${chars.alphanumeric}_-`);
const hexDigit = classOf(`${chars.digits}abcdefABCDEF`);
const escapedLetter = classOf('nrtbf');

/** How far back `isWordStart` looks. */
export const lookBehind = 6;

export type Text = Pick<Input, 'data' | 'behind' | 'isCutAt'>;

/**
 * Whether a word begins at `index`. `task-x` does not hold `sk-x`. What an escape ends with belongs to the escape: `\\nsk-x`,
 * `\\u003dsk-x`, `%3Dsk-x`.
 */
export function isWordStart(text: Text, index: number): boolean {
  const last = byteAt(text, index - 1);
  if (last < 0 || word[last] !== 1 || text.isCutAt(index)) return true;
  const before = byteAt(text, index - 2);
  if (before === 0x5c) return escapedLetter[last] === 1;
  if (hexDigit[last] !== 1 || hexDigit[before] !== 1) return false;
  const third = byteAt(text, index - 3);
  if (third === 0x25) return true;
  return (
    hexDigit[third] === 1 &&
    hexDigit[byteAt(text, index - 4)] === 1 &&
    byteAt(text, index - 5) === 0x75 &&
    byteAt(text, index - 6) === 0x5c
  );
}

/** -1 where there is none. */
function byteAt({ data, behind }: Text, index: number): number {
  return (index >= 0 ? data[index] : behind[behind.length + index]) ?? -1;
}

/** Tells keys from words by their first bytes. */
import { chars, classOf } from './bytes.ts';

/** How much of a key is looked at to decide. */
export const decisiveBytes = 64;

const mixed = classOf(chars.upperCase + chars.digits);

export function isAnything(): boolean {
  return true;
}

/** A word such as `sk-estimator-html-doc-link` is not a key: one has digits or capitals. */
export function isMixed(data: Uint8Array, from: number, end: number): boolean {
  for (let i = from; i < end; i += 1) if (mixed[data[i] ?? 0] === 1) return true;
  return false;
}

const alphabet = `${chars.upperCase}${chars.upperCase.toLowerCase()}${chars.digits}+/`;
const valueOf = new Int8Array(256).fill(-1);
for (let i = 0; i < alphabet.length; i += 1) valueOf[alphabet.charCodeAt(i)] = i;

/** Whether this is the base64 of `user:password`: text with a colon in it. */
export function isCredentials(data: Uint8Array, from: number, end: number): boolean {
  let bits = 0;
  let count = 0;
  let hasColon = false;
  for (let i = from; i < end; i += 1) {
    const value = valueOf[data[i] ?? 0] ?? -1;
    // The padding.
    if (value === -1) break;
    bits = ((bits << 6) | value) & 0xffff;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    const byte = (bits >> count) & 0xff;
    if (byte < 0x20 || byte === 0x7f) return false;
    hasColon ||= byte === 0x3a;
  }
  return hasColon;
}

/** Bytes and kinds of bytes, as the redactor looks at them. */

/** 1 for every byte of the kind. */
export type ByteClass = Uint8Array;

const upperCase = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const digits = '0123456789';
const alphanumeric = upperCase + upperCase.toLowerCase() + digits;

export const chars = { upperCase, digits, alphanumeric } as const;

export function ascii(text: string): Uint8Array {
  return Uint8Array.from(text, (char) => char.charCodeAt(0));
}

export function classOf(members: string): ByteClass {
  const table = new Uint8Array(256);
  for (const byte of ascii(members)) table[byte] = 1;
  return table;
}

/** Printable bytes, and all above ASCII, but for these. */
export function printableBut(others: string): ByteClass {
  const excluded = classOf(others);
  return Uint8Array.from({ length: 256 }, (_, byte) =>
    byte > 0x20 && byte !== 0x7f && excluded[byte] === 0 ? 1 : 0,
  );
}

/** Where bytes of the kind end, at `limit` at the latest. */
export function endOfRun(
  kind: ByteClass,
  data: Uint8Array,
  from: number,
  limit: number = data.length,
): number {
  const until = Math.min(limit, data.length);
  let end = from;
  while (end < until && kind[data[end] ?? 0] === 1) end += 1;
  return end;
}

export function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  if (a.length === 0) return b;
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

export function concat(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

export const nothing: Uint8Array = new Uint8Array(0);

/** Two unsigned 32-bit halves of a 64-bit hash. */
type Hash = { readonly high: number; readonly low: number };

/** 64-bit hash of the text as 16 hex digits. For fingerprints only: it resists accidents, not attackers. */
export function hash64(text: string): string {
  const { high, low } = hashHalves(text);
  return hex(high) + hex(low);
}

/** The same hash as numbers, for callers that work on its bits. */
export function hashHalves(text: string): Hash {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x9e3779b1);
    b = Math.imul(b ^ code, 0x5f356495);
  }
  const low = mix(a, b);
  const high = mix(b, low);
  return { high, low };
}

function mix(value: number, other: number): number {
  const once =
    Math.imul(value ^ (value >>> 16), 0x85ebca6b) ^ Math.imul(other ^ (other >>> 13), 0xc2b2ae35);
  const twice = Math.imul(once ^ (once >>> 15), 0x2c1b3c6d);
  return (twice ^ (twice >>> 16)) >>> 0;
}

function hex(half: number): string {
  return half.toString(16).padStart(8, '0');
}

const firstBytes = 4096;

/** The last bytes of a stream, in a ring of bounded size. */
export type Tail = {
  push(chunk: Buffer): void;
  /** As text. A character cut by the ring's edge is left out. */
  text(): string;
};

export function createTail(maxBytes: number): Tail {
  let ring = Buffer.alloc(0);
  let next = 0;
  let seen = 0;

  return {
    push(chunk) {
      if (maxBytes === 0 || chunk.length === 0) return;
      const part = chunk.length > maxBytes ? chunk.subarray(chunk.length - maxBytes) : chunk;
      // Most streams are short: the ring has its full size only once it is needed.
      if (ring.length < maxBytes && next + part.length > ring.length) {
        const size = Math.max(firstBytes, 4 * ring.length, next + part.length);
        const larger = Buffer.allocUnsafe(Math.min(size, maxBytes));
        ring.copy(larger, 0, 0, next);
        ring = larger;
      }
      const upToEdge = part.copy(ring, next);
      part.copy(ring, 0, upToEdge);
      next = (next + part.length) % maxBytes;
      seen += chunk.length;
    },
    text() {
      if (seen <= maxBytes) return ring.toString('utf8', 0, seen);
      const bytes = Buffer.concat([ring.subarray(next), ring.subarray(0, next)]);
      return bytes.toString('utf8', firstWholeCharacter(bytes));
    },
  };
}

function firstWholeCharacter(bytes: Buffer): number {
  let start = 0;
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return start;
}

/** The last bytes of a stream, in a ring of fixed size. */
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
      if (ring.length === 0) ring = Buffer.allocUnsafe(maxBytes);
      const part = chunk.length > maxBytes ? chunk.subarray(chunk.length - maxBytes) : chunk;
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

/** Longest line handed on; agents print whole files into one line of JSON. */
export const maxLineBytes = 1024 * 1024;

/** So much at once is more than anybody reads as it comes. */
const floodBytes = 16 * 1024;

const newline = 0x0a;
const carriageReturn = 0x0d;

export type LineSplitter = {
  push(chunk: Buffer): void;
  /** The stream is over: what is left without a newline is a line too. */
  end(): void;
};

/**
 * Splits bytes into lines of text, however they are chunked. Works on bytes, so a character split
 * across chunks stays whole; bytes that are not UTF-8 become U+FFFD. A line of more than `maxBytes` keeps
 * its beginning and says how much is missing. Never holds more than one such line.
 */
export function createLineSplitter(
  emit: (line: string) => void,
  maxBytes: number = maxLineBytes,
  which: 'all' | 'latest' = 'all',
): LineSplitter {
  let held = Buffer.alloc(0);
  let heldBytes = 0;
  let cutBytes = 0;

  function hold(part: Buffer): void {
    const kept = Math.min(part.length, maxBytes - heldBytes);
    if (heldBytes + kept > held.length) held = grown(held, heldBytes, heldBytes + kept, maxBytes);
    part.copy(held, heldBytes, 0, kept);
    heldBytes += kept;
    cutBytes += part.length - kept;
  }

  function release(): void {
    const line = held.subarray(0, heldBytes);
    const text =
      cutBytes === 0 ? decode(line) : `${line.toString('utf8')} … [${cutBytes} bytes cut]`;
    // A single huge line should not keep its buffer for the rest of the run.
    if (held.length > 65_536) held = Buffer.alloc(0);
    heldBytes = 0;
    cutBytes = 0;
    emit(text);
  }

  /** Where the last complete line begins, in a flood; what was held belongs to an earlier one and is dropped. */
  function skipToLatest(chunk: Buffer): number {
    if (chunk.length < floodBytes) return 0;
    const end = chunk.lastIndexOf(newline);
    const start = end < 1 ? 0 : chunk.lastIndexOf(newline, end - 1) + 1;
    if (start > 0) {
      heldBytes = 0;
      cutBytes = 0;
    }
    return start;
  }

  return {
    push(chunk) {
      let start = which === 'latest' ? skipToLatest(chunk) : 0;
      for (;;) {
        const end = chunk.indexOf(newline, start);
        if (end === -1) break;
        const part = chunk.subarray(start, end);
        start = end + 1;
        if (heldBytes === 0 && cutBytes === 0 && part.length <= maxBytes) {
          emit(decode(part));
        } else {
          hold(part);
          release();
        }
      }
      if (start < chunk.length) hold(chunk.subarray(start));
    },
    end() {
      if (heldBytes > 0 || cutBytes > 0) release();
    },
  };
}

function decode(line: Buffer): string {
  const end = line.at(-1) === carriageReturn ? line.length - 1 : line.length;
  return line.toString('utf8', 0, end);
}

function grown(
  held: Buffer<ArrayBuffer>,
  used: number,
  needed: number,
  maxBytes: number,
): Buffer<ArrayBuffer> {
  const size = Math.min(Math.max(needed, held.length * 2, 1024), maxBytes);
  const next = Buffer.allocUnsafe(size);
  held.copy(next, 0, 0, used);
  return next;
}

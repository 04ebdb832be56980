const codeDigits = 3;

/**
 * What one command of a shell prints: a word nobody can guess, the output, the word again with the exit code. The shell
 * prints nothing after that until it is told more, so that the end is looked for only at the end.
 */
export class FramedOutput {
  readonly #nonce: Buffer;
  readonly #trailerBytes: number;
  #bytes: Buffer[] = [];
  #size = 0;
  #head: Buffer = Buffer.alloc(0);
  #tail: Buffer = Buffer.alloc(0);

  constructor(nonce: string) {
    this.#nonce = Buffer.from(nonce);
    this.#trailerBytes = trailerOf(nonce, '0'.repeat(codeDigits)).length;
  }

  push(chunk: Buffer): void {
    const missing = this.#nonce.length - this.#head.length;
    if (missing > 0) this.#head = Buffer.concat([this.#head, chunk.subarray(0, missing)]);
    this.#bytes.push(chunk);
    this.#size += chunk.length;
    const last = chunk.length < this.#trailerBytes ? Buffer.concat([this.#tail, chunk]) : chunk;
    this.#tail = last.subarray(-this.#trailerBytes);
  }

  /** Keeps no more than this much of the end. */
  keepLast(bytes: number): void {
    const kept = bytes + this.#trailerBytes;
    if (this.#size <= 2 * kept) return;
    this.#bytes = [Buffer.concat(this.#bytes).subarray(-kept)];
    this.#size = kept;
  }

  /** Of the output, as far as it has come. */
  get size(): number {
    return Math.max(0, this.#size - this.#nonce.length - (this.isOver ? this.#trailerBytes : 0));
  }

  get hasBegun(): boolean {
    return this.#head.equals(this.#nonce);
  }

  get isOver(): boolean {
    return (
      this.#tail.length === this.#trailerBytes &&
      this.#tail.subarray(0, this.#nonce.length).equals(this.#nonce)
    );
  }

  /** Null before the end. */
  get exitCode(): number | null {
    return this.isOver ? Number(this.#tail.toString('latin1', this.#nonce.length + 1)) : null;
  }

  /** Without the words around it, at most so much of its beginning. */
  first(bytes: number): Buffer {
    const from = this.#nonce.length;
    return Buffer.concat(this.#bytes).subarray(from, from + Math.min(this.size, bytes));
  }

  /** At most so much of its end; for a stream that has no word before it. */
  last(bytes: number): Buffer {
    const whole = Buffer.concat(this.#bytes);
    const output = this.isOver ? whole.subarray(0, -this.#trailerBytes) : whole;
    return output.subarray(-bytes);
  }
}

function trailerOf(nonce: string, code: string): string {
  return `${nonce} ${code}\n`;
}

/** Shell text that prints the end of a command whose exit code is in `$__code`. */
export function printTrailer(nonce: string): string {
  return `printf '${nonce} %0${codeDigits}d\\n' "$__code"`;
}

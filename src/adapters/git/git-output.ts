/** What a command prints, up to a limit; beyond it the output is cut and says so. */
export class BoundedOutput {
  readonly #limit: number;
  readonly #chunks: Buffer[] = [];
  #size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isTruncated(): boolean {
    return this.#size > this.#limit;
  }

  add(chunk: Buffer): void {
    const room = this.#limit - this.#size;
    if (room > 0) this.#chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    this.#size += chunk.length;
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}

const tailBytes = 8 * 1024;

/** The last few kilobytes of what a command complains about. */
export class OutputTail {
  #bytes = Buffer.alloc(0);

  add(chunk: Buffer): void {
    if (chunk.length > 0) this.#bytes = Buffer.concat([this.#bytes, chunk]).subarray(-tailBytes);
  }

  text(): string {
    return this.#bytes.toString('utf8');
  }
}

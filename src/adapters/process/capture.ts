import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { LoopwrightError } from '../../core/error.ts';
import type { Clock } from '../../ports/clock.ts';
import { createLineSplitter } from './line-splitter.ts';
import { createTail } from './tail.ts';

/** A stream being written to a file, split into lines and remembered by its end. */
export type Capture = {
  /** Bytes read so far. */
  received(): number;
  bytes(): number;
  tail(): string;
  /**
   * Resolves when the stream is over and its file complete. When it neither ends nor delivers anything for a while,
   * someone unfindable holds it open: it is closed on our side. Call it once nothing is left to write to it.
   */
  drained(clock: Clock): Promise<void>;
};

export type CaptureOptions = {
  /** Owned by the capture from here on. Null: not kept on disk. */
  readonly file: FileHandle | null;
  readonly tailBytes: number;
  readonly line: ((line: string) => void) | null;
  /** The file cannot be written, or `line` threw. The stream is read to its end all the same. */
  broken(error: unknown): void;
};

const fileBufferBytes = 1024 * 1024;
const quietMs = 200;

export function captureStream(source: Readable, options: CaptureOptions): Capture {
  const tail = createTail(options.tailBytes);
  const over = Promise.withResolvers<void>();
  const writer = options.file?.createWriteStream({ highWaterMark: fileBufferBytes }) ?? null;
  let bytes = 0;
  let isWritable = writer !== null;
  let line = options.line;
  const lines = createLineSplitter((text) => {
    try {
      line?.(text);
    } catch (error) {
      line = null;
      options.broken(error);
    }
  });

  source.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    tail.push(chunk);
    if (line !== null) lines.push(chunk);
    if (writer !== null && isWritable && !writer.write(chunk)) source.pause();
  });
  // The other end was cut off; what arrived until then is all there is.
  source.on('error', () => undefined);
  source.once('close', () => {
    if (line !== null) lines.end();
    if (writer === null || !isWritable) over.resolve();
    else writer.end();
  });
  writer?.on('drain', () => source.resume());
  writer?.once('error', (cause) => {
    isWritable = false;
    options.broken(unwritable(cause));
    source.resume();
  });
  writer?.once('close', () => {
    if (source.closed) over.resolve();
    else source.once('close', () => over.resolve());
  });

  const isQuietSince = (seen: number): boolean =>
    seen === bytes && !(writer?.writableNeedDrain ?? false);

  return {
    received: () => bytes,
    bytes: () => bytes,
    tail: () => tail.text(),
    async drained(clock) {
      const settled = new AbortController();
      const closeWhenQuiet = async (): Promise<void> => {
        for (let seen = -1; !isQuietSince(seen);) {
          seen = bytes;
          await clock.sleep(quietMs, settled.signal);
        }
        source.destroy();
      };
      // Rejects when the stream ended by itself, which is the usual case.
      const watching = closeWhenQuiet().catch(() => undefined);
      await over.promise;
      settled.abort();
      await watching;
    },
  };
}

function unwritable(cause: Error): LoopwrightError {
  return new LoopwrightError(
    'process.output_file',
    `The output of a process cannot be written to its file: ${cause.message}.`,
    { cause, hint: 'Check that the disk of the state folder has space left.' },
  );
}

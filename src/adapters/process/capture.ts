import type { Readable } from 'node:stream';
import { LoopwrightError } from '../../core/error.ts';
import type { Redactor } from '../../core/redact/redactor.ts';
import type { Clock } from '../../ports/clock.ts';
import { notNeeded } from './awake-sleep.ts';
import { createFileWriter } from './file-writer.ts';
import { createLineSplitter, maxLineBytes } from './line-splitter.ts';
import { createTail } from './tail.ts';

/** A stream being written to a file, split into lines and remembered by its end, all without its secrets. */
export type Capture = {
  /** Bytes the program has printed so far. */
  received(): number;
  /** Bytes passed on so far. */
  bytes(): number;
  tail(): string;
  /**
   * Resolves when the stream is over and its file complete. When it neither ends nor delivers anything for a while,
   * someone unfindable holds it open: it is closed on our side. Call it once nothing is left to write to it.
   */
  drained(clock: Clock): Promise<void>;
};

export type CaptureOptions = {
  /** An open file, owned by the capture from here on. Null: not kept on disk. */
  readonly file: number | null;
  readonly tailBytes: number;
  readonly line: ((line: string) => void) | null;
  readonly lines?: 'all' | 'latest';
  readonly redactor: Redactor;
  /** The file cannot be written, or `line` threw. The stream is read to its end all the same. */
  readonly broken: (error: unknown) => void;
};

const quietMs = 200;

/** The stream's chunks may be overwritten once they were handed over: nothing here keeps them. */
export function captureStream(source: Readable, options: CaptureOptions): Capture {
  const { file, redactor, broken } = options;
  const tail = createTail(options.tailBytes);
  const over = Promise.withResolvers<void>();
  let received = 0;
  let bytes = 0;
  let isWaiting = false;
  const writer =
    file === null
      ? null
      : createFileWriter(file, {
          ready() {
            isWaiting = false;
            source.resume();
          },
          broken(error) {
            broken(unwritable(error));
            isWaiting = false;
            source.resume();
          },
        });
  let line = options.line;
  const handOn = (text: string): void => {
    try {
      line?.(text);
    } catch (error) {
      line = null;
      broken(error);
    }
  };
  const lines = createLineSplitter(handOn, maxLineBytes, options.lines);

  const passOn = (part: Uint8Array): void => {
    const piece = Buffer.from(part.buffer, part.byteOffset, part.length);
    bytes += piece.length;
    tail.push(piece);
    if (line !== null) lines.push(piece);
    if (writer !== null && !writer.write(piece)) {
      isWaiting = true;
      source.pause();
    }
  };

  source.on('data', (chunk: Buffer) => {
    received += chunk.length;
    for (const part of redactor.push(chunk)) passOn(part);
  });
  // The other end was cut off; what arrived until then is all there is.
  source.on('error', () => undefined);
  source.once('close', () => {
    for (const part of redactor.end()) passOn(part);
    if (line !== null) lines.end();
    const written = writer?.end() ?? Promise.resolve();
    written.catch((error: unknown) => broken(unwritable(error))).then(over.resolve, over.reject);
  });

  const isQuietSince = (seen: number): boolean => seen === received && !isWaiting;

  return {
    received: () => received,
    bytes: () => bytes,
    tail: () => tail.text(),
    async drained(clock) {
      const settled = new AbortController();
      const closeWhenQuiet = async (): Promise<void> => {
        for (let seen = -1; !isQuietSince(seen);) {
          seen = received;
          await clock.sleep(quietMs, settled.signal);
        }
        source.destroy();
      };
      // Rejects when the stream ended by itself, which is the usual case.
      const watching = closeWhenQuiet().catch(() => undefined);
      await over.promise;
      settled.abort(notNeeded);
      await watching;
    },
  };
}

function unwritable(cause: unknown): LoopwrightError {
  const said = cause instanceof Error ? cause.message : String(cause);
  // `ENOSPC: no space left on device, write`: the words between the code and the call.
  const reason = said.replace(/^[A-Z]+: /, '').replace(/, [a-z]+$/, '');
  return new LoopwrightError(
    'process.output_file',
    `The output of a process cannot be written to its file: ${reason}.`,
    { cause, hint: 'Check that the disk of the state folder has space left.' },
  );
}

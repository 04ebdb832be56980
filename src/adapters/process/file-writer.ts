import { closeSync, write, writeSync, fstatSync } from 'node:fs';
import { promisify } from 'node:util';
import { giveBuffer, spareBytes, takeBuffer } from './spare-buffers.ts';

const writeSome = promisify(write);

export type FileWriter = {
  /** Copies the bytes; they are on their way at once. False: no more, please, until `ready` is called. */
  write(bytes: Uint8Array): boolean;
  /** Resolves when everything is written and the file closed. */
  end(): Promise<void>;
};

export type FileWriterEvents = {
  /** There is room again. */
  ready(): void;
  /** Called once; what follows is dropped. */
  broken(error: unknown): void;
};

/** Of each of two buffers at most: one is filled while the other is written. Most programs print little. */
const bufferBytes = 512 * 1024;
/** A reader that is told to stop may still have this much in its hands. */
const handedBytes = 192 * 1024;
/** So little is written at once when nothing follows: somebody waits for the end of the file. */
const lastBytes = 64 * 1024;

/** Writes a stream to a file without leaving garbage behind: memory stays the same however much passes through. */
export function createFileWriter(file: number, events: FileWriterEvents): FileWriter {
  let filling = Buffer.alloc(0);
  let resting = Buffer.alloc(0);
  let filled = 0;
  let isBroken = false;
  let isFull = false;
  let isWriting = false;
  let isEnding = false;
  let written = Promise.resolve();
  // A pipe in its place may have a reader that takes its time.
  const atOnce = fstatSync(file).isFile() ? lastBytes : 0;

  /** What has been filled; the other buffer is filled from now on. */
  function swap(): Buffer {
    const full = filling.subarray(0, filled);
    [filling, resting] = [resting, filling];
    filled = 0;
    if (isFull) events.ready();
    isFull = false;
    return full;
  }

  async function writeAll(): Promise<void> {
    isWriting = true;
    try {
      while (filled > (isEnding ? atOnce : 0)) await writeWhole(file, swap());
    } catch (error) {
      fail(error);
    }
    isWriting = false;
  }

  function writeLast(): void {
    if (isBroken) return;
    try {
      for (let rest = swap(); rest.length > 0;) rest = rest.subarray(writeSync(file, rest));
    } catch (error) {
      fail(error);
    }
  }

  function fail(error: unknown): void {
    isBroken = true;
    events.broken(error);
  }

  return {
    write(bytes) {
      if (isBroken) return true;
      const needed = filled + bytes.length;
      if (needed > filling.length) filling = grown(filling, filled, needed);
      filling.set(bytes, filled);
      filled = needed;
      if (!isWriting) written = writeAll();
      isFull = filled > bufferBytes - handedBytes;
      return !isFull;
    },
    async end() {
      isEnding = true;
      await written;
      writeLast();
      closeSync(file);
      for (const buffer of [filling, resting]) giveBuffer(buffer);
    },
  };
}

async function writeWhole(file: number, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    at += (await writeSome(file, bytes, at, bytes.length - at)).bytesWritten;
  }
}

function grown(buffer: Buffer<ArrayBuffer>, used: number, needed: number): Buffer<ArrayBuffer> {
  if (buffer.length === 0 && needed <= spareBytes) return takeBuffer();
  const next = Buffer.allocUnsafeSlow(Math.max(needed, bufferBytes));
  buffer.copy(next, 0, 0, used);
  giveBuffer(buffer);
  return next;
}

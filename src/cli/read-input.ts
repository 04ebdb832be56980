import { closeSync, constants, openSync, readSync } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { Socket } from 'node:net';
import path from 'node:path';
import { LoopwrightError } from '../core/error.ts';
import { collectText } from './collect-text.ts';
import type { CliContext } from './context.ts';
import { usageError } from './input.ts';

export type InputBounds = {
  readonly maxBytes: number;
  /** Of a larger file the end is enough, because a summary stands there. */
  readonly takesEnd?: boolean;
};

/** Opening waits for nobody, and a terminal stays whose it is. */
const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/**
 * The text that a person names: a file, a pipe (as `<(command)` makes them), or standard input for `-`. Bounded in every case:
 * opening waits for nobody, devices and folders are refused, and a pipe that nothing writes to has nothing to say.
 */
export async function readInput(
  file: string,
  context: CliContext,
  bounds: InputBounds,
): Promise<string> {
  if (file === '-') return context.readStdin(bounds.maxBytes);
  try {
    const full = path.resolve(context.cwd, file);
    if ((await stat(full)).isFIFO()) return await readPipe(full, file, context, bounds);
    await using handle = await open(full, flags);
    const found = await handle.stat();
    if (!found.isFile()) {
      throw usageError(`${file} is not a file`, 'name a text file, or `-` for standard input');
    }
    return await readPlain(handle, file, found.size, bounds);
  } catch (cause) {
    if (cause instanceof LoopwrightError) throw cause;
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    const reason = code === 'ENOENT' ? 'there is no such file' : code;
    throw new LoopwrightError('usage.unreadable_file', `cannot read ${file}: ${reason}`, {
      cause,
      hint: 'check the path; `-` reads standard input',
    });
  }
}

async function readPipe(
  full: string,
  file: string,
  { clock, err }: CliContext,
  { maxBytes }: InputBounds,
): Promise<string> {
  const fd = openSync(full, flags);
  const first = readNow(fd);
  // The end, at once: there is no writer. A stream would wait for one.
  if (first?.length === 0) {
    closeSync(fd);
    throw usageError(`nothing writes to the pipe ${file}`, 'start what writes to it first');
  }
  using socket = disposable(new Socket({ fd, readable: true, writable: false }));
  if (first !== null) socket.stream.unshift(first);
  const tell = (text: string) => err.write(`${text}\n`);
  return await collectText(socket.stream, { name: `the pipe ${file}`, maxBytes, clock, tell });
}

/** What a pipe holds now; empty at its end, null when its writer has written nothing yet. */
function readNow(fd: number): Buffer | null {
  const buffer = Buffer.alloc(64 * 1024);
  try {
    return buffer.subarray(0, readSync(fd, buffer));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return null;
    closeSync(fd);
    throw error;
  }
}

function disposable(stream: Socket): Disposable & { readonly stream: Socket } {
  return { stream, [Symbol.dispose]: () => void stream.destroy() };
}

async function readPlain(
  handle: FileHandle,
  file: string,
  size: number,
  { maxBytes, takesEnd = false }: InputBounds,
): Promise<string> {
  if (size > maxBytes && !takesEnd) throw tooLarge(file, maxBytes);
  const chunks: Buffer[] = [];
  let from = Math.max(0, size - maxBytes);
  let total = 0;
  // A file may grow meanwhile, and those of the kernel do not tell their size.
  for (;;) {
    const buffer = Buffer.alloc(Math.min(Math.max(size - from, 64 * 1024), 8 * 1024 * 1024));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, from);
    if (bytesRead === 0) break;
    from += bytesRead;
    total += bytesRead;
    if (total > maxBytes && !takesEnd) throw tooLarge(file, maxBytes);
    chunks.push(buffer.subarray(0, bytesRead));
    if (total >= maxBytes) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

function tooLarge(file: string, maxBytes: number): LoopwrightError {
  const limit = Math.round(maxBytes / 1_000_000);
  return usageError(`${file} is larger than ${limit} MB`, 'is this the right file?');
}

import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

const usualBytes = 64 * 1024;

/**
 * A small file, read at once: handing it to another thread takes longer than the reading. Null when it is larger, or no plain
 * file: whoever put a pipe in its place does not make this process wait. Throws when it cannot be opened.
 */
export function readSmallFile(
  file: string | Buffer,
  mostBytes: number = usualBytes,
): Buffer | null {
  const handle = openPlainFile(file);
  if (handle === null) return null;
  try {
    return fstatSync(handle).size <= mostBytes ? readFileSync(handle) : null;
  } finally {
    closeSync(handle);
  }
}

/** Opens one of any size to read it. Null when it is no plain file; throws when it cannot be opened. */
export function openPlainFile(file: string | Buffer): number | null {
  const handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  if (fstatSync(handle).isFile()) return handle;
  closeSync(handle);
  return null;
}

/** Null also when it cannot be opened. */
export function smallText(
  file: string,
  encoding: BufferEncoding = 'utf8',
  mostBytes?: number,
): string | null {
  try {
    return readSmallFile(file, mostBytes)?.toString(encoding) ?? null;
  } catch {
    return null;
  }
}

import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

const usualBytes = 64 * 1024;

/**
 * A small file, read at once: handing it to another thread takes longer than the reading. Null when it is larger, or no plain
 * file: whoever put a pipe in its place does not make this process wait. Throws when it cannot be opened.
 */
export function readSmallFile(file: string, mostBytes: number = usualBytes): Buffer | null {
  const handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = fstatSync(handle);
    return found.isFile() && found.size <= mostBytes ? readFileSync(handle) : null;
  } finally {
    closeSync(handle);
  }
}

/** Null also when it cannot be opened. */
export function smallText(file: string): string | null {
  try {
    return readSmallFile(file)?.toString('utf8') ?? null;
  } catch {
    return null;
  }
}

import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { privateFile } from './private-state.ts';

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_APPEND } = constants;

/**
 * Opens a file of the engine's own for writing, empty. A link, a second name of a file elsewhere, or a pipe that somebody has
 * put in its place is taken away first: nothing is ever written through it.
 */
export function openOwnFile(file: string, mode: number = privateFile): number {
  const handle = openPlain(file, 0, mode);
  if (handle === null) return openFresh(file, mode);
  if (fstatSync(handle).isFile()) ftruncateSync(handle);
  return handle;
}

/**
 * The same for what is written bit by bit and waited for by nobody else than the program it comes from: a pipe that somebody
 * reads may take its time.
 */
export function openOwnOutput(file: string): number {
  const isPipe = lstatSync(file, { throwIfNoEntry: false })?.isFIFO() === true;
  const read = isPipe ? openRead(file) : null;
  return read ?? openOwnFile(file);
}

/** Opened again without `O_NONBLOCK`, which only keeps us from waiting for a reader. Null when there is none. */
function openRead(file: string): number | null {
  let handle: number | null = null;
  try {
    handle = openSync(file, O_WRONLY | O_NOFOLLOW | O_NONBLOCK);
    return openSync(`/proc/self/fd/${handle}`, O_WRONLY);
  } catch {
    return null;
  } finally {
    if (handle !== null) closeSync(handle);
  }
}

/** Writes the whole text to such a file. */
export function writeOwnFile(file: string, text: string | Uint8Array, mode?: number): void {
  const handle = openOwnFile(file, mode);
  try {
    writeFileSync(handle, text);
  } finally {
    closeSync(handle);
  }
}

/** Opens one to write behind what is there. */
export function openOwnLog(file: string, mode: number): number {
  return openPlain(file, O_APPEND, mode) ?? openFresh(file, mode);
}

/** A file that did not exist before this moment. */
function openFresh(file: string, mode: number): number {
  rmSync(file, { force: true });
  return openSync(file, O_WRONLY | O_CREAT | O_EXCL, mode);
}

/** Null when it leads elsewhere. */
function openPlain(file: string, flags: number, mode: number): number | null {
  let handle: number;
  try {
    handle = openSync(file, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | flags, mode);
  } catch (error) {
    if (isElsewhere(error)) return null;
    throw error;
  }
  const found = fstatSync(handle);
  const isShared = found.isFile() && found.nlink > 1;
  if (!isShared && !found.isFIFO()) return handle;
  closeSync(handle);
  return null;
}

/** A link, or a pipe or socket without a reader. */
function isElsewhere(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && (error.code === 'ELOOP' || error.code === 'ENXIO')
  );
}

import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  type Dirent,
} from 'node:fs';
import path from 'node:path';

/** The engine's own folders and files are the user's alone. */
export const privateFolder = 0o700;
export const privateFile = 0o600;

const others = 0o077;
/** Worktrees are the user's files, as git makes them; below them nothing is the engine's own. */
const notOwn = ['worktrees'];

/**
 * Takes from everybody else what an older version left open to them. The folder itself comes last: once it is closed,
 * everything in it was. Links are not followed, and a file with a second name elsewhere is left alone.
 */
export function tightenState(folder: string): void {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory() !== true || (found.mode & others) === 0) return;
  for (const entry of entriesOf(folder)) {
    if (!notOwn.includes(entry.name)) tightenEntry(folder, entry);
  }
  tighten(folder);
}

function tightenEntry(folder: string, entry: Dirent): void {
  const place = path.join(folder, entry.name);
  if (entry.isDirectory()) {
    for (const each of entriesOf(place)) tightenEntry(place, each);
    tighten(place);
  } else if (entry.isFile()) tighten(place);
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Somebody else removes it, or it belongs to somebody else: what stands above it is closed all the same.
    return [];
  }
}

function tighten(place: string): void {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  let handle: number;
  try {
    handle = openSync(place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch {
    // Gone meanwhile, or not ours.
    return;
  }
  try {
    const found = fstatSync(handle);
    const isShared = found.isFile() && found.nlink > 1;
    if (!isShared && (found.mode & others) !== 0) fchmodSync(handle, found.mode & 0o7700);
  } catch {
    // A disk without modes, or somebody else's file.
  } finally {
    closeSync(handle);
  }
}

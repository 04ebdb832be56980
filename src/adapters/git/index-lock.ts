import { linkSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { constants, copyFile } from 'node:fs/promises';
import path from 'node:path';
import { smallText } from '../files/small-file.ts';
import { syncToDisk } from '../files/sync-to-disk.ts';
import {
  isRecorded,
  makeMovesFolder,
  movesFolder,
  removeIfEmpty,
  type Move,
} from './move-record.ts';

/**
 * The index of a checkout of the user's while a move changes it. The lock that git itself would take is held from before
 * the first file is written until the index is in place: no git command of the user's comes between. The index is made
 * as a file beside it and put in place by one rename, so a killed process leaves the old one or the new one. The lock
 * says whose it is, so that the next start can tell it from one of the user's.
 */
export function takeIndexLock(commonDir: string, gitDir: string, id: string): boolean {
  const lock = lockFile(gitDir);
  const own = path.join(makeMovesFolder(gitDir), `${id}.lock`);
  writeFileSync(own, markerOf(id), { flush: true });
  try {
    for (;;) {
      // A link appears with its content, which is on the disk: a lock that a kill or a power cut empties would be taken for the user's.
      if (tryLink(own, lock)) return true;
      const holder = holderOf(lock);
      if (holder === id) return true;
      if (holder === null || isRecorded(commonDir, holder)) return false;
      // Of a move that is over.
      rmSync(lock, { force: true });
    }
  } finally {
    rmSync(own, { force: true });
  }
}

/** Lets go of the lock, if it is that of this move, and removes what was made for the index. */
export function releaseIndex(gitDir: string, { id }: Pick<Move, 'id'>): void {
  const lock = lockFile(gitDir);
  if (holderOf(lock) === id) rmSync(lock, { force: true });
  const file = newIndexFile(gitDir, id);
  const half = path.join(movesFolder(gitDir), `${id}.lock`);
  for (const each of [file, `${file}.lock`, half]) rmSync(each, { force: true });
  removeIfEmpty(movesFolder(gitDir));
}

/** Where the index that a move will put in place is made. */
export function newIndexFile(gitDir: string, id: string): string {
  return path.join(movesFolder(gitDir), `${id}.index`);
}

/** Begins the new index with the one that is there. */
export async function copyIndex(gitDir: string, id: string): Promise<string> {
  const from = path.join(gitDir, 'index');
  const file = newIndexFile(gitDir, id);
  for (const each of [file, `${file}.lock`]) rmSync(each, { recursive: true, force: true });
  await copyFile(from, file, constants.COPYFILE_EXCL);
  // git hashes files that changed at the time of the index or later. A copy that looks younger would hide such a change.
  const seconds = Math.floor(statSync(from).mtimeMs / 1000);
  utimesSync(file, seconds, seconds);
  return file;
}

/** Puts the new index in place. */
export function installIndex(gitDir: string, id: string): void {
  const file = newIndexFile(gitDir, id);
  syncToDisk(file);
  renameSync(file, path.join(gitDir, 'index'));
  syncToDisk(gitDir);
}

function lockFile(gitDir: string): string {
  return path.join(gitDir, 'index.lock');
}

const markerStart = 'loopwright move ';

function markerOf(id: string): string {
  return `${markerStart}${id}\n`;
}

/** Which move holds a lock; null when it is not one of ours. */
function holderOf(lock: string): string | null {
  const text = smallText(lock, 'utf8', 256);
  return text?.startsWith(markerStart) === true ? text.slice(markerStart.length).trim() : null;
}

/** False when there is a lock. */
function tryLink(own: string, lock: string): boolean {
  try {
    linkSync(own, lock);
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'EEXIST') return false;
    // A disk without links.
    return tryWrite(own, lock);
  }
}

function tryWrite(own: string, lock: string): boolean {
  try {
    writeFileSync(lock, smallText(own) ?? '', { flag: 'wx', flush: true });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

import { existsSync, lstatSync, renameSync } from 'node:fs';
import path from 'node:path';
import type { FormerRoot } from '../../core/place/place.ts';
import { stateFolderName } from './folder-state.ts';
import { folderIdentity } from './own-folder.ts';
import { writeOwnFile } from './own-file.ts';
import { smallText } from './small-file.ts';
import { syncToDisk } from './sync-to-disk.ts';
import { ownPid } from '../process/own-process.ts';

/**
 * Beside the store lies its id in a file of its own: whether the original of a copy is still there can be seen without opening a
 * database that somebody else may be writing.
 */
const name = 'store-id';

export function writeStoreId(stateDir: string, storeId: string): void {
  const file = path.join(stateDir, name);
  if (readStoreId(stateDir) === storeId) return;
  const beside = `${file}.tmp-${ownPid}`;
  writeOwnFile(beside, `${storeId}\n`);
  syncToDisk(beside);
  renameSync(beside, file);
}

/** Null when there is none: a store that no version that writes one has opened. */
function readStoreId(stateDir: string): string | null {
  return smallText(path.join(stateDir, name))?.trim() ?? null;
}

/** The inode of the state folder; that of its device can differ after the next start of the machine. */
export function stateInode(stateDir: string): string {
  return String(lstatSync(stateDir, { bigint: true }).ino);
}

/** What is at a root where the store has been. Only looks. */
export function lookAtRoot(root: string, stateDir: string, storeId: string | null): FormerRoot {
  const folder = path.join(root, stateFolderName);
  const identity = folderIdentity(folder);
  if (identity === null) return { root, holds: 'nothing' };
  if (identity === folderIdentity(stateDir)) return { root, holds: 'view' };
  const found = readStoreId(folder);
  const isTwin = found === null || storeId === null ? hasStore(folder) : found === storeId;
  return { root, holds: isTwin ? 'twin' : 'nothing' };
}

function hasStore(folder: string): boolean {
  return existsSync(path.join(folder, 'state.db'));
}

/** Under two names. */
export function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((file) =>
    lstatSync(file, { bigint: true, throwIfNoEntry: false }),
  );
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino;
}

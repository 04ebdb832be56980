import { lstatSync } from 'node:fs';
import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { entriesOf } from '../files/folder-entries.ts';
import { pause } from '../clock/timer.ts';

/** Locks of what all checkouts share; git holds each for a moment only. */
const shared = ['packed-refs.lock', 'config.lock', 'shallow.lock', 'HEAD.lock', 'index.lock'];

/** Locks that are there in a git folder now, without those of refs. */
export function listLocks(gitDir: string): readonly string[] {
  return shared
    .map((name) => path.join(gitDir, name))
    .filter((file) => lstatSync(file, { throwIfNoEntry: false }) !== undefined);
}

/** Locks of refs, wherever they lie below. */
export function listRefLocks(commonDir: string): readonly string[] {
  const locks: string[] = [];
  const folders = [path.join(commonDir, 'refs')];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of entriesOf(folder)) {
      const file = path.join(folder, entry.name);
      if (entry.isDirectory()) folders.push(file);
      else if (entry.name.endsWith('.lock')) locks.push(file);
    }
  }
  return locks;
}

/** Whether a lock is gone within a second: most commands hold one for a moment only. */
export async function isFreeSoon(lock: string, signal: AbortSignal): Promise<boolean> {
  for (let look = 1; look <= 10; look++) {
    if ((await lstat(lock).catch(() => null)) === null) return true;
    await pause(100, signal);
  }
  return false;
}

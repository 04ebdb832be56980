import { statfsSync, type StatsFs } from 'node:fs';
import { lstat, open, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Disk } from '../../ports/disk.ts';
import { privateFile } from './private-state.ts';

const reserveBytes = 4 * 1024 * 1024;
const fewInodes = 200;
const chunk = Buffer.alloc(256 * 1024, 'space kept free by loopwright for when the disk is full\n');
/** Written at once: each write is handed to another thread. */
const chunks = Array.from({ length: reserveBytes / chunk.length }, () => chunk);

/** The reserve is a file `ballast` in the state folder. Written out, because a hole would hold no space. One change at a time. */
export function createDisk(stateDir: string): Disk {
  const file = path.join(stateDir, 'ballast');
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = (work: (file: string) => Promise<boolean>): Promise<boolean> => {
    const done = last.then(() => work(file));
    last = done;
    return done;
  };
  return {
    holdReserve: () => inTurn(hold),
    dropReserve: () => inTurn(drop),
    hasRoom,
  };
}

async function hold(file: string): Promise<boolean> {
  if ((await sizeOf(file)) === reserveBytes) return true;
  try {
    await rm(file, { force: true });
    await using handle = await open(file, 'wx', privateFile);
    const { bytesWritten } = await handle.writev(chunks);
    // A disk that fills up meanwhile takes what it can and complains only the next time.
    if (bytesWritten === reserveBytes) return true;
    await rm(file, { force: true });
    return false;
  } catch {
    // No room for a reserve is no reason to refuse work; half a reserve would only take room.
    await rm(file, { force: true }).catch(() => {});
    return false;
  }
}

async function drop(file: string): Promise<boolean> {
  const held = (await sizeOf(file)) > 0;
  await rm(file, { force: true }).catch(() => {});
  return held;
}

async function hasRoom(folder: string): Promise<boolean> {
  const found = statOf(folder);
  if (found === null) return true;
  // Some file systems have no fixed number of inodes and answer 0.
  const inodes = found.files === 0 || found.ffree > fewInodes;
  return inodes && found.bavail * found.bsize >= 2 * reserveBytes;
}

function statOf(folder: string): StatsFs | null {
  try {
    return statfsSync(folder);
  } catch {
    return null;
  }
}

async function sizeOf(file: string): Promise<number> {
  return lstat(file).then(
    ({ size }) => size,
    () => 0,
  );
}

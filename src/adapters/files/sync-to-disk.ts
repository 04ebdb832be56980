import { closeSync, constants, fsyncSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';

/** Comes back when the disk has it: what a file holds, or which names a folder does. */
export function syncToDisk(target: string): void {
  const descriptor = openSync(target, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Syncs that are asked for together share what they cost; each of them holds a descriptor. */
const mostAtOnce = 16;

/**
 * The same for many, side by side. What is gone meanwhile, may not be read, or is neither a file nor a folder is passed over;
 * links are not followed.
 */
export async function syncAllToDisk(targets: Iterable<string | Buffer>): Promise<void> {
  const left = [...new Set(targets)];
  const work = async () => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) await syncOne(next);
  };
  await Promise.all(Array.from({ length: Math.min(mostAtOnce, left.length) }, work));
}

/** `ENXIO` and `EINVAL`: a pipe, a socket or a device, which has nothing to sync. */
const passedOver: ReadonlySet<unknown> = new Set([
  'ENOENT',
  'ENOTDIR',
  'ELOOP',
  'EACCES',
  'ENXIO',
  'EINVAL',
]);

async function syncOne(target: string | Buffer): Promise<void> {
  const how = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  try {
    await using file = await open(target, how);
    await file.sync();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (!passedOver.has(code)) throw error;
  }
}

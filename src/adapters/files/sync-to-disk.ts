import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Comes back when the disk has it: what a file holds, or which names a folder does. */
export function syncToDisk(target: string): void {
  const descriptor = openSync(target, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

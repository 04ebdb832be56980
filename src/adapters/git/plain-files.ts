import { chmodSync, lstatSync, readdirSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';

/** Entries after which others have their turn. */
const breath = 200;

/**
 * Takes out of a folder what git would not see as a difference: links (a hard link would let the next one write through
 * to somewhere else), pipes, and permissions that a fresh checkout does not give. What is taken out is written again.
 */
export async function plainFiles(folder: string): Promise<void> {
  // git has just made this one, as it makes all.
  const plain = lstatSync(path.join(folder, '.git')).mode & 0o777;
  const executable = plain | ((plain & 0o444) >> 2);
  const folders = [folder];
  let seen = 0;
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    if ((lstatSync(at).mode & 0o7777) !== executable) chmodSync(at, executable);
    for (const entry of readdirSync(at, { withFileTypes: true })) {
      const file = path.join(at, entry.name);
      seen++;
      if (seen % breath === 0) await setImmediate();
      if (entry.isDirectory()) folders.push(file);
      else if (!isPlain(file, [plain, executable])) unlinkSync(file);
    }
  }
}

function isPlain(file: string, modes: readonly number[]): boolean {
  const found = lstatSync(file);
  return found.isFile() && found.nlink === 1 && modes.includes(found.mode & 0o7777);
}

import { chmodSync, lstatSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ConfigEntry } from './environment.ts';

/**
 * What the file system of a folder can do, found out by trying. git believes what the configuration says of it, and an agent
 * can write there that names differ only in case, that files have no modes, or that there are no links: then git looks away.
 */
export function fileSystemSettings(folder: string): readonly ConfigEntry[] {
  const place = mkdtempSync(path.join(folder, '.probe-'));
  try {
    const file = path.join(place, 'name');
    writeFileSync(file, '');
    return [
      ['core.ignoreCase', String(isThere(path.join(place, 'NAME')))],
      ['core.fileMode', String(keepsModes(file))],
      ['core.symlinks', String(makesLinks(path.join(place, 'link')))],
    ];
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

function isThere(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

function keepsModes(file: string): boolean {
  const modes = [0o700, 0o600].map((mode) => {
    chmodSync(file, mode);
    return lstatSync(file).mode & 0o100;
  });
  return modes[0] !== 0 && modes[1] === 0;
}

function makesLinks(file: string): boolean {
  try {
    symlinkSync('name', file);
    return lstatSync(file).isSymbolicLink();
  } catch {
    return false;
  }
}

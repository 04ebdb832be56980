import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { answersSignals } from '../process/identity.ts';
import type { ConfigEntry } from './environment.ts';
import { ownPid } from '../process/own-process.ts';

/**
 * What the file system of a folder can do, found out by trying. git believes what the configuration says of it, and an agent
 * can write there that names differ only in case, that files have no modes, or that there are no links: then git looks away.
 */
export function fileSystemSettings(folder: string): readonly ConfigEntry[] {
  removeLeft(folder);
  const place = mkdtempSync(path.join(folder, `.probe-${ownPid}-`));
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

/** What processes left that were killed while they tried. */
function removeLeft(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = /^\.probe-(?:(\d+)-)?/.exec(name);
    if (pid === null || (pid[1] !== undefined && answersSignals(Number(pid[1])))) continue;
    rmSync(path.join(folder, name), { recursive: true, force: true });
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

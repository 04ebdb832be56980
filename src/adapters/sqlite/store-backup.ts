import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { backupPath } from './backup-files.ts';
import { Connection } from './connection.ts';

/** A copy as of now, whole or not there. What cannot be read makes it fail: no damage gets into a backup. */
export function makeBackup(file: string, version: number): void {
  const backup = backupPath(file, version);
  const temporary = `${backup}.tmp`;
  // What a killed attempt left.
  for (const rest of [temporary, `${temporary}-journal`]) rmSync(rest, { force: true });
  using connection = new Connection(file, { mode: 'write' });
  connection.run('vacuum into ?', [temporary]);
  sync(temporary);
  renameSync(temporary, backup);
  sync(path.dirname(backup));
}

function sync(target: string): void {
  const descriptor = openSync(target, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

import { readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { syncToDisk } from '../files/sync-to-disk.ts';
import { answersSignals } from '../process/identity.ts';
import { backupPath } from './backup-files.ts';
import { Connection } from './connection.ts';

/** A copy as of now, whole or not there. What cannot be read makes it fail: no damage gets into a backup. */
export function makeBackup(file: string, version: number): void {
  const backup = backupPath(file, version);
  // Of this process alone: two engines may end a loop at the same time.
  const temporary = `${backup}.tmp-${process.pid}`;
  removeHalves(backup);
  using connection = new Connection(file, { mode: 'write' });
  connection.run('vacuum into ?', [temporary]);
  syncToDisk(temporary);
  renameSync(temporary, backup);
  syncToDisk(path.dirname(backup));
}

/** What killed attempts left. */
function removeHalves(backup: string): void {
  const folder = path.dirname(backup);
  const start = `${path.basename(backup)}.tmp`;
  for (const name of readdirSync(folder).filter((each) => each.startsWith(start))) {
    const pid = Number(/^-(\d+)/.exec(name.slice(start.length))?.[1] ?? 0);
    if (pid === process.pid || !(pid > 0 && answersSignals(pid)))
      rmSync(path.join(folder, name), { force: true });
  }
}

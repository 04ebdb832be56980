import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { privateFile } from '../files/private-state.ts';
import { syncToDisk } from '../files/sync-to-disk.ts';
import { ownPid } from '../process/own-process.ts';

/** Of an empty store with the newest schema, beside the migrations that made it. Only a build has one. */
export const newStoreName = 'new-store.db';

/**
 * Puts the empty store of a build where there is none yet: carrying out all migrations takes several times as long. Whole or not at all,
 * and never over anything, so that several processes may try at once. Whatever stands in the way leaves it to the migrations.
 */
export function placeNewStore(file: string, migrations: string): void {
  const source = path.join(migrations, newStoreName);
  // A log without its database would be taken for one of the new database.
  const taken = [file, `${file}-wal`, `${file}-journal`].some((each) => existsSync(each));
  if (taken || !existsSync(source)) return;
  const temporary = `${file}.new-${ownPid}`;
  try {
    writeFileSync(temporary, readFileSync(source), { flag: 'wx', mode: privateFile });
    syncToDisk(temporary);
    linkSync(temporary, file);
    syncToDisk(path.dirname(file));
  } catch {
    // The migrations, which follow in any case, find what is wrong, or that somebody else was faster.
  }
  rmSync(temporary, { force: true });
}

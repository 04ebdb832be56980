import { constants, copyFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { storeError } from './store-error.ts';

/**
 * A copy of a database that cannot be written, in a folder that can: what is stored can be looked at from there. SQLite makes it
 * where it can read the file in place, also while somebody else writes it. Where it cannot, because the log has no index beside it
 * and none can be made, nobody else has it open either, and the files are copied.
 */
export function copyStore(file: string, folder: string): string {
  const copy = path.join(folder, 'state.db');
  try {
    if (copyThroughSqlite(file, copy)) return copy;
    for (const end of ['', '-wal']) {
      const isThere = statSync(`${file}${end}`, { throwIfNoEntry: false }) !== undefined;
      if (isThere) copyFileSync(`${file}${end}`, `${copy}${end}`, constants.COPYFILE_FICLONE);
    }
    return copy;
  } catch (error) {
    throw storeError(error, file);
  }
}

function copyThroughSqlite(file: string, copy: string): boolean {
  let database: DatabaseSync;
  try {
    database = new DatabaseSync(file, { readOnly: true });
  } catch {
    return false;
  }
  try {
    database.prepare('vacuum into ?').run(copy);
    return true;
  } catch {
    return false;
  } finally {
    database.close();
  }
}

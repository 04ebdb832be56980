import { closeSync, readSync, statSync } from 'node:fs';
import { LoopwrightError } from '../../core/error.ts';
import { openPlainFile } from '../files/small-file.ts';
import { readMark } from './store-mark.ts';

/** How the header of a database begins that is written without a log: as `vacuum into` makes them. */
const magic = Buffer.from('SQLite format 3\0', 'latin1');
const versionAt = 18;
const withoutLog = 1;

/**
 * Refuses a log that belongs to another file than the one it lies beside: SQLite would mix the two. That is what is left when a
 * copy was put into the place of a database and the log of the old one stayed. Looks before anything opens either.
 */
export function refuseForeignLog(file: string): void {
  const log = `${file}-wal`;
  const logStats = statSync(log, { throwIfNoEntry: false });
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined || logStats === undefined || logStats.size === 0) return;
  const marked = readMark(file);
  const isReplaced = marked?.log === logStats.ino && marked.file !== stats.ino;
  if (!isReplaced && !isWithoutLog(file)) return;
  throw new LoopwrightError(
    'store.corrupt',
    `${log} is the log of another file than ${file}, which was put in its place`,
    {
      hint: `Nothing was opened. Move ${log} and ${file}-shm away, then try again; or put the earlier ${file} back, to which they belong.`,
      details: { file },
    },
  );
}

function isWithoutLog(file: string): boolean {
  const header = Buffer.alloc(versionAt + 1);
  const handle = openPlainFile(file);
  if (handle === null) return false;
  try {
    readSync(handle, header, 0, header.length, 0);
  } finally {
    closeSync(handle);
  }
  return header.subarray(0, magic.length).equals(magic) && header[versionAt] === withoutLog;
}

import { accessSync, constants, existsSync } from 'node:fs';
import path from 'node:path';
import { LoopwrightError, type ErrorOptions } from '../../core/error.ts';
import { backupPath, backupsOf } from './backup-files.ts';

/** What SQLite said, in words for the person in front of it. Anything that is not SQLite's is passed on. */
export function storeError(error: unknown, file: string): unknown {
  const code = sqliteCode(error);
  if (code === null) return error;
  const options = { cause: error, details: { file, sqliteCode: code } };
  const constraint = constraintError(code, error, options);
  if (constraint !== null) return constraint;
  // The low byte is the kind of failure, the rest its variant.
  switch (code & 0xff) {
    case 5:
    case 6:
      return new LoopwrightError('store.locked', `${file} is locked by another program`, {
        ...options,
        hint: 'Another process holds the database. Wait for it or end it, then try again; nothing was changed.',
      });
    case 8:
      return readOnlyStore(file, options);
    case 10:
      return new LoopwrightError('store.io', `the disk failed under ${file}`, {
        ...options,
        hint: 'The last change was not made. Check the disk, then try again.',
      });
    case 11:
    case 26:
      return corruptStore(file, options);
    case 13:
      return new LoopwrightError('store.disk_full', `no space left for ${file}`, {
        ...options,
        hint: 'The last change was not made. Free some space, then try again.',
      });
    case 14:
      // A write-ahead log that cannot be made beside the file is reported like a file that is not there.
      if (isReadOnly(file)) return readOnlyStore(file, options);
      return new LoopwrightError('store.cannot_open', `${file} cannot be opened`, {
        ...options,
        hint: 'Check that the path is a file in a folder you may read and write.',
      });
    default:
      return new LoopwrightError('store.failed', `${file}: ${messageOf(error)}`, options);
  }
}

/** A SQLite database that somebody else made. */
export function foreignDatabase(file: string): LoopwrightError {
  return corruptStore(file, { details: { file } });
}

function readOnlyStore(file: string, options: ErrorOptions): LoopwrightError {
  return new LoopwrightError('store.read_only', `${file} cannot be written`, {
    ...options,
    hint: 'Check the permissions of the file and its folder, and that the disk is not mounted read-only. `status`, `loop list`, `loop show` and `task list` work all the same.',
  });
}

function isReadOnly(file: string): boolean {
  if (!existsSync(file)) return false;
  try {
    for (const target of [file, path.dirname(file)]) accessSync(target, constants.W_OK);
    return false;
  } catch {
    // The answer itself.
    return true;
  }
}

function corruptStore(file: string, options: ErrorOptions): LoopwrightError {
  return new LoopwrightError('store.corrupt', `${file} is damaged or not a Loopwright database`, {
    ...options,
    hint: `Nothing was changed. ${backupHint(file)}`,
  });
}

/** What follows when a backup takes the place of the store. */
export const afterRestore =
  'The next run names what the backup lacks before it starts anything; run again to go on with it.';

function backupHint(file: string): string {
  const backups = backupsOf(file);
  if (backups.length === 0) {
    const example = path.basename(backupPath(file, 1));
    return `No backup (${example} and the like) lies beside it; move the file away to start anew.`;
  }
  return `Move it away, with ${path.basename(file)}-wal and ${path.basename(file)}-shm if they are there, and copy a backup into its place: ${backups.join(', ')}. ${afterRestore}`;
}

function constraintError(
  code: number,
  error: unknown,
  options: ErrorOptions,
): LoopwrightError | null {
  if (code === 1555 || code === 2067) {
    return new LoopwrightError('store.exists', `already stored: ${messageOf(error)}`, options);
  }
  if (code === 787) {
    const text = 'a row refers to something that is not stored';
    return new LoopwrightError('store.missing_reference', text, options);
  }
  return null;
}

/** The extended result code, or null for an error of another kind. */
export function sqliteCode(error: unknown): number | null {
  if (!(error instanceof Error) || !('errcode' in error)) return null;
  return typeof error.errcode === 'number' ? error.errcode : null;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

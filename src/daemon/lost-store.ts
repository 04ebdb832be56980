import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { backupsOf } from '../adapters/sqlite/backup-files.ts';
import { afterRestore } from '../adapters/sqlite/store-error.ts';
import { LoopwrightError } from '../core/error.ts';
import { throwawayOwner } from '../core/loop/throwaway.ts';

/**
 * Refuses a database that is missing or of no bytes beside the files of loops: a new one would be made in its place, and
 * everything recorded of those loops would silently be gone.
 */
export function refuseLostStore(file: string, stateDir: string): void {
  const bytes = bytesOf(file);
  const isNew = bytes === 0 && (bytesOf(`${file}-wal`) ?? 0) > 0;
  if ((bytes !== null && bytes > 0) || isNew || !hasLoops(stateDir)) return;
  const what = bytes === null ? 'is missing' : 'is empty';
  const backups = backupsOf(file);
  const restore =
    backups.length === 0
      ? 'put a copy of it back'
      : `move ${path.basename(file)}-wal and ${path.basename(file)}-shm away if they are there, and copy ${backups.join(' or ')} into its place`;
  throw new LoopwrightError('store.corrupt', `${file} ${what}, but there are files of loops`, {
    hint: `${restore}; or, to start anew, move ${stateDir} away: branches of loops are kept by git. ${afterRestore}`,
    details: { file },
  });
}

/** Null when there is no such file. */
function bytesOf(file: string): number | null {
  return statSync(file, { throwIfNoEntry: false })?.size ?? null;
}

/** Records or a worktree of any loop. A throwaway worktree holds no work: a killed `init` leaves one where no loop ever was. */
function hasLoops(stateDir: string): boolean {
  return ['loops', 'worktrees'].some((name) =>
    namesIn(path.join(stateDir, name)).some(
      (each) => each.startsWith('loop-') && throwawayOwner(each) === null,
    ),
  );
}

function namesIn(folder: string): readonly string[] {
  const isThere = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  return isThere ? readdirSync(folder) : [];
}

import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { LoopwrightError } from '../core/error.ts';

/**
 * Refuses a database of no bytes beside the files of loops: SQLite would take it for a new one, and everything recorded of
 * those loops would silently be gone.
 */
export function refuseEmptiedStore(file: string, stateDir: string): void {
  if (bytesOf(file) !== 0 || (bytesOf(`${file}-wal`) ?? 0) > 0) return;
  if (!hasLoops(path.join(stateDir, 'loops'))) return;
  throw new LoopwrightError('store.corrupt', `${file} is empty, but there are files of loops`, {
    hint: `put a backup of it back; or, to start anew, move ${stateDir} away: branches of loops are kept by git`,
    details: { file },
  });
}

/** Null when there is no such file. */
function bytesOf(file: string): number | null {
  return statSync(file, { throwIfNoEntry: false })?.size ?? null;
}

function hasLoops(folder: string): boolean {
  const isThere = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  return isThere && readdirSync(folder).length > 0;
}

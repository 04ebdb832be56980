import { existsSync } from 'node:fs';
import path from 'node:path';
import { watchFolder } from '../files/watch-folder.ts';

/** Watches the files git keeps a branch in: its own, and those that hold many. Folders that are not there are not made. */
export function watchBranch(commonDir: string, branch: string, onMove: () => void): Disposable {
  const own = path.join(commonDir, 'refs/heads', branch);
  // Packing refs removes the folder of one with a slash in its name, but not that of its log.
  const log = path.join(commonDir, 'logs/refs/heads', branch);
  const places: readonly (readonly [folder: string, prefix: string])[] = [
    [path.dirname(own), path.basename(own)],
    [path.dirname(log), path.basename(log)],
    [commonDir, 'packed-refs'],
    [path.join(commonDir, 'reftable'), ''],
  ];
  const watches = places
    .filter(([folder]) => existsSync(folder))
    .map(([folder, prefix]) => watchFolder(folder, prefix, onMove));
  return {
    [Symbol.dispose]() {
      for (const watch of watches) watch[Symbol.dispose]();
    },
  };
}

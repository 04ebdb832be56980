import { watch } from 'node:fs';
import path from 'node:path';
import type { Wakeups } from '../../ports/wakeup.ts';
import { writeOwnFile } from './own-file.ts';
import { makeFolders } from './own-folder.ts';

/** Wake-ups between processes by touching a file that the owner's process watches. No polling. */
export function createWakeups(stateDir: string): Wakeups {
  const folder = path.join(stateDir, 'wake');
  return {
    async wake(loopId) {
      makeFolders(stateDir, folder);
      writeOwnFile(path.join(folder, loopId), '');
    },
    watch(loopId, onWake) {
      try {
        makeFolders(stateDir, folder);
        const watcher = watch(folder, { persistent: false }, (_event, name) => {
          if (name === loopId || name === null) onWake();
        });
        // A folder that is removed while watched ends the watching; requests are still read at the boundary.
        watcher.on('error', () => {});
        return { [Symbol.dispose]: () => watcher.close() };
      } catch {
        // No watches left on this machine: requests are still read at the boundary.
        return { [Symbol.dispose]: () => {} };
      }
    },
  };
}

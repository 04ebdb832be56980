import { mkdirSync, watch } from 'node:fs';
import { privateFolder } from './private-state.ts';

/**
 * Calls `onChange` when a file in the folder whose name begins with `prefix` changes, until disposed. A hint, not a
 * promise: some disks tell nothing, and watches may have run out, so whoever watches looks by itself now and then.
 */
export function watchFolder(folder: string, prefix: string, onChange: () => void): Disposable {
  try {
    mkdirSync(folder, { recursive: true, mode: privateFolder });
    const watcher = watch(folder, { persistent: false }, (_event, name) => {
      if (name === null || name.startsWith(prefix)) onChange();
    });
    watcher.on('error', () => {});
    return { [Symbol.dispose]: () => watcher.close() };
  } catch {
    return { [Symbol.dispose]: () => {} };
  }
}

import { constants, open } from 'node:fs/promises';
import path from 'node:path';
import { filePath } from './path-bytes.ts';

const atOnce = 16;

/** Comes back when files of a work tree, and the names of the folders they lie in, are on disk. Absent ones count as removed. */
export async function syncFiles(workTree: string, names: readonly string[]): Promise<void> {
  const folders = new Set(names.map((name) => path.posix.dirname(name)));
  for (const list of [names, [...folders]]) {
    for (let start = 0; start < list.length; start += atOnce) {
      await Promise.all(
        list.slice(start, start + atOnce).map((name) => sync(filePath(workTree, name))),
      );
    }
  }
}

async function sync(file: string | Buffer): Promise<void> {
  // A link has nothing of its own to sync, and a pipe must not be waited for.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(file, flags).catch(() => null);
  try {
    await handle?.sync();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    // Not something that can be synced.
    if (code !== 'EINVAL' && code !== 'EROFS') throw error;
  } finally {
    await handle?.close();
  }
}

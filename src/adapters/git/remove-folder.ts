import { rmSync } from 'node:fs';
import { chmod, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { folderIdentity } from '../files/own-folder.ts';

/**
 * Removes a folder, or the link that is in its place, which is never followed. Agents leave folders without permissions behind.
 * A failed `rm` goes on deleting for a while, so more than one try.
 */
export async function removeFolder(folder: string): Promise<void> {
  if (folderIdentity(folder) === null) {
    await rm(folder, { force: true });
    return;
  }
  for (let attempt = 1; ; attempt++) {
    try {
      await removeTree(folder);
      return;
    } catch (error) {
      if (attempt === 5) throw error;
      await unlockFolders(folder);
    }
  }
}

/** In parts, each removed at a stroke: file by file a thousand of them keep a processor busy for long. */
async function removeTree(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const inner = path.join(folder, entry.name);
    if (entry.isDirectory()) {
      for (const name of await readdir(inner)) {
        rmSync(path.join(inner, name), { recursive: true, force: true });
        await setImmediate();
      }
    }
    rmSync(inner, { recursive: true, force: true });
  }
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

/** What vanishes meanwhile is fine; what cannot be unlocked makes the next try fail. */
async function unlockFolders(folder: string): Promise<void> {
  if (folderIdentity(folder) === null) return;
  await chmod(folder, 0o700).catch(() => undefined);
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    if (entry.isDirectory()) await unlockFolders(path.join(folder, entry.name));
  }
}

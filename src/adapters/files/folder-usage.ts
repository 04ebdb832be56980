import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';

const batchSize = 64;

/** Bytes on disk below a folder. Links are counted as links; what vanishes or cannot be read meanwhile counts nothing. */
export async function diskUsage(folder: string, signal: AbortSignal): Promise<number> {
  let bytes = 0;
  const folders = [folder];
  for (let current = folders.pop(); current !== undefined; current = folders.pop()) {
    signal.throwIfAborted();
    const entries = await readdir(current, { withFileTypes: true }).catch(() => []);
    for (let start = 0; start < entries.length; start += batchSize) {
      const names = entries
        .slice(start, start + batchSize)
        .map((entry) => path.join(entry.parentPath, entry.name));
      const stats = await Promise.all(names.map((name) => lstat(name).catch(() => null)));
      for (const [index, stat] of stats.entries()) {
        if (stat === null) continue;
        bytes += stat.blocks * 512;
        const name = names[index];
        if (stat.isDirectory() && name !== undefined) folders.push(name);
      }
    }
  }
  return bytes;
}

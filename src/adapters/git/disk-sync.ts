import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { syncAllToDisk } from '../files/sync-to-disk.ts';
import { filePath } from './path-bytes.ts';
import { wallClockMs } from '../clock/wall-clock.ts';

/**
 * Brings what a fact names to the disk before the fact is stored. Done from here and not by `core.fsync`: objects that an agent
 * or a person wrote count as much as git's own of this engine, and many files synced side by side cost little more than one.
 */
export type DiskSync = {
  /** Every object that is in the repository now. A look at the folders; only what is new since the last one is synced. */
  objects(): Promise<void>;
  /** Refs by their full names. Objects first: a ref must not be there before what it names. */
  refs(names: readonly string[]): Promise<void>;
};

/** A folder of objects as it was when it was last looked at. */
type Seen = {
  /** Null: it may have got another name at that very time. */
  readonly changedMs: number | null;
  /** Null: not listed, as nothing in it was new. */
  readonly names: ReadonlySet<string> | null;
};

/** What is older has been written by the disk itself long ago. */
const recentMs = 3_600_000;

/** Some disks count time in steps of this size. */
const tickMs = 2_000;

const fanOut = Array.from({ length: 256 }, (_, index) => index.toString(16).padStart(2, '0'));
const objectName = /^(?:[0-9a-f]{38}|[0-9a-f]{62}|pack-.*|multi-pack-index.*)$/;

export function createDiskSync(commonDir: string): DiskSync {
  const root = path.join(commonDir, 'objects');
  const seen = new Map<string, Seen>();
  /** Refs whose folders, up to the outermost, are on the disk. */
  const known = new Set<string>();
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;

  async function look(): Promise<void> {
    const changed = [...fanOut, 'pack'].flatMap((name) => findNew(path.join(root, name), seen));
    const grown = changed.filter(({ files }) => files.length > 0);
    const isNew = grown.some(({ folder }) => !seen.has(folder));
    const targets = grown.flatMap(({ folder, files }) => [folder, ...files]);
    await syncAllToDisk(isNew ? [...targets, root] : targets);
    for (const { folder, now } of changed) seen.set(folder, now);
  }

  return {
    // Whoever asks while a look is under way may have written since: they share the next one.
    objects() {
      next ??= running.then(() => {
        next = null;
        return look();
      });
      running = next.catch(() => {});
      return next;
    },
    async refs(names) {
      const isKnown = names.every((name) => known.has(name));
      const folders = isKnown ? names.map((name) => path.dirname(name)) : names.flatMap(parentsOf);
      // The files as well: an agent's git, or a person's, syncs no ref.
      const targets = [...names, ...folders, ...(isKnown ? [] : ['reftable', '.'])];
      await syncAllToDisk(targets.map((name) => path.join(commonDir, name)));
      for (const name of names) known.add(name);
    },
  };
}

type Fresh = { readonly folder: string; readonly files: readonly string[]; readonly now: Seen };

/** Looked at at once: handing 257 looks to other threads takes longer. */
function findNew(folder: string, all: ReadonlyMap<string, Seen>): readonly Fresh[] {
  const before = all.get(folder);
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined || found.mtimeMs === before?.changedMs) return [];
  const nowMs = wallClockMs();
  const isRecent = (timeMs: number) => timeMs > nowMs - recentMs;
  const changedMs = found.mtimeMs < nowMs - tickMs ? found.mtimeMs : null;
  if (before === undefined && !isRecent(Math.max(found.mtimeMs, found.ctimeMs)))
    return [{ folder, files: [], now: { changedMs, names: null } }];
  const names = readdirSync(folder).filter((name) => objectName.test(name));
  const known = before?.names ?? null;
  const isNew = (name: string) => {
    if (known !== null) return !known.has(name);
    return isRecent(statSync(path.join(folder, name), { throwIfNoEntry: false })?.ctimeMs ?? 0);
  };
  const files = names.filter(isNew).map((name) => path.join(folder, name));
  return [{ folder, files, now: { changedMs, names: new Set(names) } }];
}

/** Files of a worktree by their paths in it, with the folders that hold their names; those that were deleted count too. */
export async function syncFiles(workTree: string, names: readonly string[]): Promise<void> {
  const targets = new Set([...names, ...names.flatMap(parentsOf), '.']);
  await syncAllToDisk([...targets].map((name) => filePath(workTree, name)));
}

/** `a/b/c` → `a/b`, `a`. */
function parentsOf(name: string): string[] {
  const folders: string[] = [];
  for (let end = name.lastIndexOf('/'); end > 0; end = name.lastIndexOf('/', end - 1)) {
    folders.push(name.slice(0, end));
  }
  return folders;
}

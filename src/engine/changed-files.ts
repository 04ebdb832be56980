import { lstatSync, readdirSync, type Dirent, type Stats } from 'node:fs';
import { setImmediate } from 'node:timers/promises';

/**
 * What became of a file or folder: nothing; made or changed; or a folder with both kinds in it. Folders in which all is new are
 * new themselves.
 */
export type Change =
  | { readonly kind: 'same' }
  | { readonly kind: 'new'; readonly isFolder: boolean }
  | { readonly kind: 'mixed'; readonly entries: ReadonlyMap<string, Change> };

export type ChangeWish = {
  /** Whether what happened to an inode at this time counts. */
  readonly isTime: (ms: number) => boolean;
  /** Entries that are not looked at: they are the same, or not there at all. */
  readonly passOver: (name: string, folder: string) => 'same' | 'absent' | null;
  /** Folders that are never new as a whole: what is in them is told one by one. */
  readonly isOpen?: (folder: string) => boolean;
  /** Files whose other names may have been made or removed; then their own time counts. */
  readonly isShared?: boolean;
};

const same: Change = { kind: 'same' };
/** The event loop gets its turn after as many. */
const atOnce = 1000;
const most = 2_000_000;

/**
 * Finds what was made or changed below a folder by the time of the inode, which no program can set. Links are looked at, not
 * followed; what cannot be read is the same.
 */
export async function findChanged(folder: string, wish: ChangeWish): Promise<Change> {
  let looked = 0;
  const isChanged = (found: Stats): boolean => {
    if (!wish.isTime(found.ctimeMs)) return false;
    const isLinkedElsewhere = wish.isShared === true && found.nlink > 1 && found.isFile();
    return !isLinkedElsewhere || wish.isTime(found.mtimeMs);
  };
  const visit = async (at: string): Promise<Change> => {
    const entries = list(at);
    const found = new Map<string, Change>();
    for (const entry of entries) {
      const passed = wish.passOver(entry.name, at);
      if (passed === 'same') found.set(entry.name, same);
      if (passed !== null) continue;
      looked += 1;
      if (looked % atOnce === 0) await setImmediate();
      if (looked > most) break;
      const file = `${at}/${entry.name}`;
      if (entry.isDirectory()) found.set(entry.name, await visit(file));
      else {
        const stats = look(file);
        const isNew = stats !== null && isChanged(stats);
        found.set(entry.name, isNew ? { kind: 'new', isFolder: false } : same);
      }
    }
    return together(at, found);
  };
  const together = (at: string, entries: ReadonlyMap<string, Change>): Change => {
    const kinds = new Set([...entries.values()].map(({ kind }) => kind));
    if (kinds.has('mixed') || (kinds.has('new') && kinds.has('same'))) {
      return { kind: 'mixed', entries };
    }
    if (!kinds.has('new')) return same;
    // Files that were written over do not change the folder they are in.
    const stats = look(at);
    const isOpen = wish.isOpen?.(at) === true;
    if (isOpen || stats === null || !wish.isTime(stats.ctimeMs)) return { kind: 'mixed', entries };
    return { kind: 'new', isFolder: true };
  };
  const top = look(folder);
  if (top === null) return same;
  if (!top.isDirectory()) return isChanged(top) ? { kind: 'new', isFolder: false } : same;
  return visit(folder);
}

/** The paths of all that is new, relative to the folder that was looked at. */
export function newPaths(change: Change, at = ''): readonly string[] {
  if (change.kind === 'same') return [];
  if (change.kind === 'new') return [at];
  return [...change.entries].flatMap(([name, each]) =>
    newPaths(each, at === '' ? name : `${at}/${name}`),
  );
}

function list(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Gone, or not ours to read: a check cannot read it either.
    return [];
  }
}

function look(file: string): Stats | null {
  return lstatSync(file, { throwIfNoEntry: false }) ?? null;
}

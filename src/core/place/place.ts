/**
 * Where a store belongs. A store that is found elsewhere was moved or copied, and what it has recorded (paths, processes,
 * claims) means something else there. Here is what follows from what was recorded and what is found.
 */
export type PlaceRecord = {
  /** Of this store alone: a copy gets another one when it is first used. */
  readonly storeId: string;
  /** Of the project, when the place was last settled. */
  readonly root: string;
  /** Of the state folder at that root. */
  readonly inode: string;
  /** The machine it was settled on. */
  readonly machine: string;
  /** Every root that recorded paths can lie below, this one included. */
  readonly roots: readonly string[];
  /** Folders of worktrees outside of the project that are elsewhere now, by the path that loops have recorded. */
  readonly folders: Readonly<Record<string, string>>;
  /** The root it came from; null for a project that is where it was made. */
  readonly origin: string | null;
  readonly since: number;
};

/** The place as it is found now. */
export type FoundPlace = Pick<PlaceRecord, 'root' | 'inode' | 'machine'>;

/** What is found at a root that the store has been at. */
export type FormerRoot = {
  readonly root: string;
  /** `view`: the very same state folder under another path. `twin`: a state folder of its own with this store. */
  readonly holds: 'nothing' | 'view' | 'twin';
};

/**
 * `same`: nothing to do. `view`: the same folder under another path, such as a bind mount; the other path is valid too.
 * `moved`: paths are carried over. `replaced`: another folder at the same path, such as a backup that was put back; paths hold,
 * inodes do not. `copied`: the original is still there; nothing of it may be touched.
 */
export type PlaceVerdict =
  | { readonly kind: 'same' }
  | { readonly kind: 'view' }
  | { readonly kind: 'replaced' }
  | { readonly kind: 'moved'; readonly from: string }
  | { readonly kind: 'copied'; readonly from: string };

export function isSettled(record: PlaceRecord, here: FoundPlace): boolean {
  return record.root === here.root && record.inode === here.inode;
}

/** `former` are the roots in the record other than the one found now. */
export function judgePlace(
  record: PlaceRecord,
  here: FoundPlace,
  former: readonly FormerRoot[],
): PlaceVerdict {
  if (isSettled(record, here)) return { kind: 'same' };
  const twin = former.find(({ holds }) => holds === 'twin');
  if (twin !== undefined) return { kind: 'copied', from: twin.root };
  if (former.some(({ holds }) => holds === 'view')) return { kind: 'view' };
  if (record.root === here.root) return { kind: 'replaced' };
  return { kind: 'moved', from: record.root };
}

/**
 * Whether the processes that were recorded belong elsewhere: those of an original, and those of a project that came here as other
 * files, since what it came from may still be in use under a path nobody told of. A renamed folder keeps its inode. On another
 * machine leases decide.
 */
export function leavesProcesses(
  record: PlaceRecord,
  here: FoundPlace,
  verdict: PlaceVerdict,
): boolean {
  if (verdict.kind === 'copied') return true;
  const isOther = record.inode !== here.inode && record.machine === here.machine;
  return verdict.kind === 'moved' && isOther;
}

/** Where a recorded path is now. */
export function located(
  recorded: string,
  root: string,
  { roots, folders }: Pick<PlaceRecord, 'roots' | 'folders'>,
): string {
  const slash = recorded.lastIndexOf('/');
  const elsewhere = folders[recorded.slice(0, slash)];
  if (elsewhere !== undefined) return elsewhere + recorded.slice(slash);
  const around = roots.filter((each) => isBelow(each, recorded));
  const nearest = around.toSorted((a, b) => b.length - a.length)[0];
  return nearest === undefined ? recorded : root + recorded.slice(nearest.length);
}

/** Also for the folder itself. */
export function isBelow(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);
}

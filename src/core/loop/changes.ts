/** What an iteration did to the files, from snapshots before and after the agent. Paths are relative and sorted. */
export type FileChanges = {
  readonly created: readonly string[];
  readonly modified: readonly string[];
  readonly deleted: readonly string[];
  readonly renamed: readonly { readonly from: string; readonly to: string }[];
  /** Added plus removed lines of text files. */
  readonly lines: number;
  /** How many files, where their names are not recorded (`verify.track-file-changes: false`); absent: all are. */
  readonly untracked?: number;
};

export const noChanges: FileChanges = {
  created: [],
  modified: [],
  deleted: [],
  renamed: [],
  lines: 0,
};

export function changedPaths(changes: FileChanges): readonly string[] {
  const renamed = changes.renamed.flatMap(({ from, to }) => [from, to]);
  return [...changes.created, ...changes.modified, ...changes.deleted, ...renamed].toSorted();
}

/** How many files, whether or not their names are known. */
export function countChanged(changes: FileChanges): number {
  return changedPaths(changes).length + (changes.untracked ?? 0);
}

export function isEmptyChange(changes: FileChanges): boolean {
  return countChanged(changes) === 0;
}

/** As the settings want it recorded. */
export function recordedChanges(
  changes: FileChanges,
  { verify }: { readonly verify: { readonly 'track-file-changes': boolean } },
): FileChanges {
  return verify['track-file-changes'] ? changes : withoutNames(changes);
}

/** The same without the names. */
function withoutNames(changes: FileChanges): FileChanges {
  const untracked = countChanged(changes);
  return { ...noChanges, lines: changes.lines, ...(untracked === 0 ? {} : { untracked }) };
}

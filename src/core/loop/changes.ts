/** What an iteration did to the files, from snapshots before and after the agent. Paths are relative and sorted. */
export type FileChanges = {
  readonly created: readonly string[];
  readonly modified: readonly string[];
  readonly deleted: readonly string[];
  readonly renamed: readonly { readonly from: string; readonly to: string }[];
  /** Added plus removed lines of text files. */
  readonly lines: number;
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

export function isEmptyChange(changes: FileChanges): boolean {
  return changedPaths(changes).length === 0;
}

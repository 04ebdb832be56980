import { diffTreePairs, type TreeEntry } from './tree-diff.ts';
import type { Move } from './move-record.ts';
import type { Repository } from './repository.ts';

/** What a commit has at a path; null when it has nothing there. */
export type Side = { readonly mode: string; readonly id: string } | null;

/** A path that a move changes, seen from the commit that its checkout shows now. */
export type MovedPath = {
  readonly path: string;
  /** What the commit has, which is one side of the move. */
  readonly wanted: Side;
  /** The other side. */
  readonly other: Side;
  /** The commit has what the move was to bring. */
  readonly isForward: boolean;
};

/**
 * The paths that differ between the two commits of a move, as far as the commit that is shown has one of the two sides
 * there. What it has from elsewhere is somebody's later commit, and no business of the move.
 */
export async function listMovedPaths(
  repository: Repository,
  { from, to }: Pick<Move, 'from' | 'to'>,
  shown: string,
  signal: AbortSignal,
): Promise<readonly MovedPath[]> {
  // `diff-tree` takes two commits for one and its parent.
  const names = [from, to, shown].map((commit) => `${commit}^{tree}`);
  const output = await repository.text({ args: ['rev-parse', ...names], signal });
  const [then = '', now = '', here = ''] = output.split('\n');
  const pairs = [
    [then, now],
    [now, then],
    [then, here],
    [now, here],
  ] as const;
  const [forward = [], back = [], sinceFrom = [], sinceTo = []] = await diffTreePairs(
    repository,
    pairs,
    signal,
  );
  const before = sidesOf(back);
  const [notFrom, notTo] = [pathsOf(sinceFrom), pathsOf(sinceTo)];
  return forward.flatMap((entry): readonly MovedPath[] => {
    const { path } = entry;
    const [old, fresh] = [before.get(path) ?? null, sideOf(entry)];
    if (!notTo.has(path)) return [{ path, wanted: fresh, other: old, isForward: true }];
    if (!notFrom.has(path)) return [{ path, wanted: old, other: fresh, isForward: false }];
    return [];
  });
}

export function isSameSide(one: Side, another: Side): boolean {
  return one?.mode === another?.mode && one?.id === another?.id;
}

/** A submodule: git puts a commit into the index and leaves the folder alone. */
export function isSubmodule(side: Side): boolean {
  return side?.mode === '160000';
}

function sideOf({ status, newMode, newId }: TreeEntry): Side {
  return status === 'D' ? null : { mode: newMode, id: newId };
}

function sidesOf(entries: readonly TreeEntry[]): ReadonlyMap<string, Side> {
  return new Map(entries.map((entry) => [entry.path, sideOf(entry)]));
}

function pathsOf(entries: readonly TreeEntry[]): ReadonlySet<string> {
  return new Set(entries.map(({ path }) => path));
}

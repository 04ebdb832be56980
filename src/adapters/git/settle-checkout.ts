import { rmSync } from 'node:fs';
import path from 'node:path';
import type { Checkout } from './git.ts';
import { headCommit } from './head.ts';
import { copyIndex, installIndex, newIndexFile, takeIndexLock } from './index-lock.ts';
import { unfinishedOperation } from './mend.ts';
import { bringFiles, inspectFiles } from './moved-files.ts';
import { moveMark, type Move } from './move-record.ts';
import { isSameSide, listMovedPaths, type MovedPath } from './move-sides.ts';
import { joinRecords } from './path-bytes.ts';
import type { Repository } from './repository.ts';
import { syncFiles } from './disk-sync.ts';
import {
  listEntries,
  refresh,
  setEntries,
  type IndexEntry,
  type ScratchIndex,
} from './scratch-index.ts';

export type SettledCheckout =
  /** `brought`: paths whose file or index entry was put right. `left`: changed by somebody else since, and as they were. */
  | { readonly kind: 'settled'; readonly brought: number; readonly left: readonly string[] }
  /** Somebody is at work in it: it can be settled when they are done. */
  | { readonly kind: 'busy'; readonly why: string };

/**
 * Lets files and index of a checkout follow the commit it shows. A path that holds exactly what the other side of the
 * move has there, or a half-written file, gets what the commit has. Everything else is the user's.
 */
export async function settleCheckout(
  repository: Repository,
  at: Checkout & { readonly workTree: string },
  move: Move,
  signal: AbortSignal,
): Promise<SettledCheckout> {
  const operation = await unfinishedOperation(at.gitDir);
  if (operation !== null) return { kind: 'busy', why: `a ${operation} is under way` };
  const shown = await headCommit(repository, at, signal);
  if (shown === null) return { kind: 'settled', brought: 0, left: [] };
  const moved = await listMovedPaths(repository, move, shown, signal);
  const paths = move.follows === 'files' ? moved : moved.filter(({ isForward }) => isForward);
  if (!takeIndexLock(at.commonDir, at.gitDir, move.id)) {
    return { kind: 'busy', why: `${path.join(at.gitDir, 'index.lock')} exists` };
  }
  const env = { GIT_INDEX_FILE: await copyIndex(at.gitDir, move.id), ...moveMark(move.id) };
  const idLength = move.to.length;
  const index: ScratchIndex = { repository, at, env, idLength };
  const entries = await listEntries(index, signal);
  const stale = paths.filter((each) => isStale(each, entries));
  const scratch = `${newIndexFile(at.gitDir, move.id)}.files`;
  const files = { repository, at, idLength, env: { ...env, GIT_INDEX_FILE: scratch } };
  const isSparse = [...entries.values()].some(({ isSkipped }) => isSkipped);
  try {
    const shownPaths = paths.filter(({ path: name }) => entries.get(name)?.isSkipped !== true);
    const found =
      move.follows === 'files'
        ? await inspectFiles(files, shownPaths, isSparse, signal)
        : { toBring: [], left: [], hidden: [] };
    const left = [...found.left, ...(await bringFiles(files, found.toBring, signal))];
    await syncFiles(
      at.workTree,
      found.toBring.map(({ path: name }) => name),
    );
    await setEntries(
      index,
      stale.map(({ path: name, wanted }) => ({ path: name, side: wanted })),
      signal,
    );
    await skipAgain(index, stale, entries, found.hidden, signal);
    const brought = new Set([...stale, ...found.toBring].map(({ path: name }) => name));
    if (brought.size > 0) {
      await refresh(index, signal);
      installIndex(at.gitDir, move.id);
    }
    return { kind: 'settled', brought: brought.size, left: left.toSorted() };
  } finally {
    for (const each of [scratch, `${scratch}.lock`]) rmSync(each, { force: true });
  }
}

function isStale(
  { path: name, wanted, other }: MovedPath,
  entries: ReadonlyMap<string, IndexEntry>,
): boolean {
  return isSameSide(entries.get(name)?.side ?? null, other) && !isSameSide(wanted, other);
}

/** Entries outside of a sparse checkout stay marked as such. */
async function skipAgain(
  { repository, at, env }: ScratchIndex,
  stale: readonly MovedPath[],
  entries: ReadonlyMap<string, IndexEntry>,
  hidden: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const skipped = stale
    .filter(({ path: name, wanted }) => {
      const isOut = entries.get(name)?.isSkipped === true || hidden.includes(name);
      return isOut && wanted !== null;
    })
    .map(({ path: name }) => name);
  if (skipped.length === 0) return;
  const args = ['update-index', '--skip-worktree', '-z', '--stdin'];
  await repository.output({ at, env, args, input: joinRecords(skipped), signal });
}

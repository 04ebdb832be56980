import { renameSync, rmSync, statSync } from 'node:fs';
import { constants, copyFile, lstat, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Checkout } from './git.ts';
import {
  listDifferences,
  listLarge,
  listTracked,
  without,
  type Place,
  type Unstored,
} from './list-differences.ts';
import { storeDifferences } from './store-differences.ts';

/**
 * The engine's own view of a checkout: an index file beside the one the agent uses. It is seeded once, before any agent
 * has run, and afterwards only the engine writes it. So the flags an agent can set in its own index (assume-unchanged,
 * skip-worktree) hide nothing, and the agent's staging area is never disturbed.
 */
export type PrivateIndex = {
  readonly file: string;
  /** Tree of all files as they are now: one process when nothing differs from last time, three otherwise. */
  snapshot(signal: AbortSignal): Promise<string>;
  /** Tells the snapshot of a checkout that git has just made: nobody can have changed a file yet. */
  startAt(tree: string): void;
  /** Takes the files to be those of a commit or tree, as far as the index goes. */
  reset(treeish: string, signal: AbortSignal): Promise<void>;
  /** Starts again from the newest commit that can be read and hashes every file: their objects are written anew. */
  rebuild(signal: AbortSignal): Promise<void>;
  /** Paths in which the newest snapshot can differ from this one; null when that is not known. */
  touchedSince(tree: string): readonly string[] | null;
  /** Files that the last snapshot had to leave out. */
  unstored(): readonly Unstored[];
  /** Whether a snapshot has been taken since the last sync: its objects may not be on the disk yet. */
  isUnsynced(): boolean;
  /** Brings the objects of snapshots, and all others, to the disk. */
  sync(): Promise<void>;
  /** Forgets what is remembered of the index after another command has changed it. */
  changed(): void;
};

export function createPrivateIndex(place: Place): PrivateIndex {
  const { repository, at, file } = place;
  const env = { GIT_INDEX_FILE: file };
  let knownTree: string | null = null;
  let unstored: readonly Unstored[] = [];
  /** As the engine left its file; null when a command of its own has written it since. */
  let stamp: string | null = null;
  let isUnsynced = false;
  let touched: { readonly from: string; readonly paths: readonly string[] } | null = null;

  async function update(careful: boolean, signal: AbortSignal): Promise<string> {
    const listed = await listDifferences(place, signal);
    const large = await listLarge(place.workTree, listed.untracked);
    const tooLarge = large.map((name) => ({ name, why: 'is over 256 MB' }));
    const differences = { ...listed, untracked: without(listed.untracked, large) };
    const { tracked, untracked, nested, closed } = differences;
    const clean = tracked.length + untracked.length + nested.length === 0;
    unstored = [...closed, ...tooLarge];
    if (clean && knownTree !== null) return knownTree;
    // What is inside a nested repository is not listed.
    const isListed = nested.length === 0 && !careful;
    touched =
      knownTree !== null && isListed
        ? { from: knownTree, paths: [...tracked, ...untracked] }
        : null;
    knownTree = null;
    isUnsynced = true;
    const all = careful
      ? { ...differences, tracked: await listTracked(place, signal) }
      : differences;
    const stored = clean && !careful ? null : await storeDifferences(place, all, careful, signal);
    if (stored !== null) unstored = [...tooLarge, ...stored.unstored];
    knownTree = stored?.tree ?? (await repository.text({ at, env, args: ['write-tree'], signal }));
    stamp = stampOf(file);
    return knownTree;
  }

  async function reset(treeish: string, signal: AbortSignal): Promise<void> {
    stamp = null;
    knownTree = null;
    touched = null;
    removeLock(file);
    await rm(file, { force: true });
    await repository.output({ at, env, args: ['read-tree', '--end-of-options', treeish], signal });
  }

  async function startAgain(signal: AbortSignal): Promise<void> {
    for (const root of place.roots) {
      const done = await reset(root, signal).then(
        () => true,
        () => false,
      );
      signal.throwIfAborted();
      if (done) return;
    }
    await rm(file, { force: true });
  }

  return {
    file,
    reset,
    startAt(tree) {
      knownTree = tree;
      stamp = stampOf(file);
    },
    async rebuild(signal) {
      await startAgain(signal);
      await update(true, signal);
    },
    unstored: () => unstored,
    touchedSince(tree) {
      if (tree === knownTree) return [];
      return touched?.from === tree ? touched.paths : null;
    },
    isUnsynced: () => isUnsynced,
    async sync() {
      isUnsynced = false;
      try {
        await repository.disk.objects();
      } catch (error) {
        isUnsynced = true;
        throw error;
      }
    },
    changed() {
      stamp = null;
      knownTree = null;
      touched = null;
    },
    async snapshot(signal) {
      removeLock(file);
      // Somebody else has written our index: it may hide whatever they like.
      if (stamp !== null && stampOf(file) !== stamp) {
        await startAgain(signal);
        return update(true, signal);
      }
      try {
        return await update(false, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (!(await canRebuild(place))) throw error;
        // A damaged index, objects pruned by the agent, or a file we may not read: start from the commit, hash
        // everything again and pass over what cannot be read. A second failure is final.
        await startAgain(signal);
        return update(true, signal);
      }
    },
  };
}

/** A fresh checkout's own index is the fastest seed: it knows the stat data of every file. */
export async function seedIndex(at: Checkout, file: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await replaceFile(path.join(at.gitDir, 'index'), file);
}

function stampOf(file: string): string {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? '' : [found.ino, found.size, found.mtimeNs, found.ctimeNs].join(' ');
}

/** Agents can write here: a link left in the way is removed, never written through. */
export async function replaceFile(from: string, to: string): Promise<void> {
  const partial = `${to}.partial`;
  rmSync(partial, { recursive: true, force: true });
  await copyFile(from, partial, constants.COPYFILE_EXCL);
  renameSync(partial, to);
}

/** Our index has one user, so a lock beside it was left by a killed process. */
function removeLock(file: string): void {
  rmSync(`${file}.lock`, { force: true });
}

async function canRebuild({ at, workTree }: Place): Promise<boolean> {
  const folders = await Promise.all(
    [at.gitDir, workTree].map((folder) => lstat(folder).catch(() => null)),
  );
  return folders.every((folder) => folder?.isDirectory() === true);
}

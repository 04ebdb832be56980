import path from 'node:path';
import { isLoopwrightError } from '../../core/error.ts';
import type { Workspace } from '../../ports/workspace.ts';
import { diskUsage } from '../files/folder-usage.ts';
import { listLinksOut } from '../files/links-out.ts';
import { commitChanges, type Revision } from './commit.ts';
import { describeCheckout } from './describe-text.ts';
import { requireOwn } from './git.ts';
import { detachHead, headCommit } from './head.ts';
import { heal, standInFor } from './heal.ts';
import type { LoopCheckout } from './loop-checkout.ts';
import { rebaseBranch } from './rebase.ts';
import { restorePaths } from './restore.ts';
import { restoreTornFiles } from './torn-files.ts';
import { diffTrees, toFileChanges, writeTreePatch } from './tree-diff.ts';
import { beginVisit, endVisit } from './visit.ts';

const mostTries = 8;
/** Going back is not cut short. */
const never = new AbortController().signal;

/** `ready` settles when the engine's index can be used; only what needs it waits. */
export function createGitWorkspace(
  checkout: LoopCheckout,
  ready: Promise<void> = Promise.resolve(),
): Workspace {
  const { repository, at, workTree, branch, index, hidden } = checkout;
  /** What was put right outside of a commit; the next commit tells. */
  const healed: string[] = [];
  let timesHealed = 0;
  let lastHealing = Promise.resolve(false);
  /** The commit the engine made last, while nothing has gone wrong since. */
  let last: Revision | null = null;

  /**
   * Nothing is done where another folder is in place of the loop's. One that is gone makes git fail in many ways; the reader
   * should learn the one reason. What an agent broke and the engine can put right is put right, and the work is tried again.
   */
  async function whilePresent<Result>(
    signal: AbortSignal,
    work: () => Promise<Result>,
  ): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      const seen = timesHealed;
      try {
        requireOwn(at);
        return await work();
      } catch (error) {
        signal.throwIfAborted();
        requireOwn(at);
        if (attempt >= mostTries || !(await putRight(error, seen, signal))) throw error;
      }
    }
  }

  async function onceReady<Result>(
    signal: AbortSignal,
    work: () => Promise<Result>,
  ): Promise<Result> {
    await ready;
    return whilePresent(signal, work);
  }

  /** One at a time: what runs beside other work may fail for the same reason, and finds it put right. */
  function putRight(error: unknown, seen: number, signal: AbortSignal): Promise<boolean> {
    const healing = lastHealing.then(async () => {
      if (timesHealed !== seen) return true;
      const notes = await heal(checkout, error, signal);
      healed.push(...notes);
      if (notes.length > 0) timesHealed += 1;
      return notes.length > 0;
    });
    lastHealing = healing.catch(() => false);
    return healing;
  }

  /** For work on a snapshot that the agent may have had pruned. */
  async function withSnapshot<Result>(
    tree: string,
    signal: AbortSignal,
    work: (tree: string) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await onceReady(signal, () => work(tree));
    } catch (error) {
      signal.throwIfAborted();
      if (!isLoopwrightError(error) || error.code !== 'git.failed') throw error;
      const left = await standInFor(checkout, tree, signal);
      if (left === tree) throw error;
      healed.push('a snapshot was pruned; the last commit stands in for it');
      return whilePresent(signal, () => work(left));
    }
  }

  const goBack = () => whilePresent(never, () => endVisit(checkout, never));

  return {
    path: workTree,
    branch,
    head: (signal) => whilePresent(signal, () => headCommit(repository, at, signal)),
    snapshot: (signal) =>
      onceReady(signal, async () => {
        const tree = await index.snapshot(signal);
        await hidden.begin(signal);
        return tree;
      }),
    touchedSince: (tree) => index.touchedSince(tree),
    changes: (fromTree, toTree, signal) =>
      withSnapshot(fromTree, signal, async (from) => {
        const { entries, lines } = await diffTrees(repository, from, toTree, signal);
        return toFileChanges(entries, lines);
      }),
    restore: (fromTree, paths, signal) =>
      withSnapshot(fromTree, signal, (tree) => restorePaths(checkout, tree, paths, signal)),
    restoreTorn: (fromTree, signal) =>
      withSnapshot(fromTree, signal, (tree) => restoreTornFiles(checkout, tree, signal)),
    async commit(input, signal) {
      let tree = input.tree ?? null;
      const { made, ...result } = await withSnapshot(input.startTree, signal, (startTree) => {
        const known = last;
        const first = { ...input, startTree, tree };
        // A further try trusts nothing that was remembered.
        [last, tree] = [null, null];
        return commitChanges(checkout, first, known, signal);
      });
      last = made;
      const repaired = [...new Set([...healed.splice(0), ...result.repaired])];
      return { ...result, repaired };
    },
    describe: (limits, signal) =>
      onceReady(signal, () => describeCheckout(checkout, limits, signal)),
    writePatch: (fromTree, toTree, file, signal) =>
      withSnapshot(fromTree, signal, (from) =>
        writeTreePatch(repository, from, toTree, file, signal),
      ),
    rebase: (onto, from, signal) =>
      onceReady(signal, () => rebaseBranch(checkout, onto, from, signal)),
    detach: (signal) => whilePresent(signal, () => detachHead(repository, at, signal)),
    async visit(commit, signal, work) {
      try {
        await onceReady(signal, () => beginVisit(checkout, commit, signal));
        const result = await work();
        await goBack();
        return result;
      } catch (error) {
        // The first error says more; the note stays, and the next open goes back.
        await goBack().catch(() => false);
        throw error;
      }
    },
    async sync() {
      if (index.isUnsynced()) await index.sync();
    },
    async linksOut(paths) {
      requireOwn(at);
      return listLinksOut(workTree, paths);
    },
    diskUsage: (signal) => whilePresent(signal, () => ownUsage(checkout, signal)),
  };
}

/** A copy of a folder of the user's counts with what was added to it. */
async function ownUsage(
  { repository, workTree, linked }: LoopCheckout,
  signal: AbortSignal,
): Promise<number> {
  const { workTree: root } = repository.main;
  let bytes = await diskUsage(workTree, signal);
  if (root === null || root === workTree) return bytes;
  for (const entry of linked) {
    const copied = await diskUsage(path.join(workTree, entry), signal);
    bytes -= Math.min(copied, await diskUsage(path.join(root, entry), signal));
  }
  return bytes;
}

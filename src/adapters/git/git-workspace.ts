import { lstat } from 'node:fs/promises';
import { LoopwrightError } from '../../core/error.ts';
import type { Workspace } from '../../ports/workspace.ts';
import { diskUsage } from '../files/folder-usage.ts';
import { commitChanges } from './commit.ts';
import { describeCheckout } from './describe-text.ts';
import { headCommit } from './head.ts';
import type { LoopCheckout } from './loop-checkout.ts';
import { rebaseBranch } from './rebase.ts';
import { restorePaths } from './restore.ts';
import { diffTrees, toFileChanges, writeTreePatch } from './tree-diff.ts';

export function createGitWorkspace(checkout: LoopCheckout): Workspace {
  const { repository, at, workTree, branch, index } = checkout;

  /** A folder that is gone makes git fail in many ways; the reader should learn the one reason. */
  async function whilePresent<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      throw (await isGone(checkout)) ? workspaceGone(workTree, error) : error;
    }
  }

  return {
    path: workTree,
    branch,
    head: (signal) => whilePresent(() => headCommit(repository, at, signal)),
    snapshot: (signal) => whilePresent(() => index.snapshot(signal)),
    async changes(fromTree, toTree, signal) {
      const { entries, lines } = await diffTrees(repository, fromTree, toTree, signal);
      return toFileChanges(entries, lines);
    },
    restore: (fromTree, paths, signal) =>
      whilePresent(() => restorePaths(checkout, fromTree, paths, signal)),
    commit: (input, signal) => whilePresent(() => commitChanges(checkout, input, signal)),
    describe: (limits, signal) => whilePresent(() => describeCheckout(checkout, limits, signal)),
    writePatch: (fromTree, toTree, file, signal) =>
      writeTreePatch(repository, fromTree, toTree, file, signal),
    rebase: (onto, from, signal) => whilePresent(() => rebaseBranch(checkout, onto, from, signal)),
    diskUsage: (signal) => whilePresent(() => diskUsage(workTree, signal)),
  };
}

async function isGone({ at, workTree }: LoopCheckout): Promise<boolean> {
  const found = await Promise.all(
    [at.gitDir, workTree].map((folder) => lstat(folder).catch(() => null)),
  );
  return found.includes(null);
}

function workspaceGone(workTree: string, cause: unknown): LoopwrightError {
  return new LoopwrightError('workspace.gone', `The worktree ${workTree} has been removed`, {
    cause,
    hint: 'Resume the loop: its worktree is made anew from its branch.',
  });
}

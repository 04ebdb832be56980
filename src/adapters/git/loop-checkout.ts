import path from 'node:path';
import type { WorkspaceSpec } from '../../ports/workspace.ts';
import { watchFolders } from '../files/own-folder.ts';
import { createConvertedFiles, type ConvertedFiles } from './converted-files.ts';
import { createHiddenFiles, type HiddenFiles } from './hidden-files.ts';
import { createIgnoreRules } from './ignore-rules.ts';
import { createKeptOut, type KeptOut } from './kept-out-list.ts';
import { createPrivateIndex } from './private-index.ts';
import type { PrivateIndex } from './private-index.ts';
import type { Checkout } from './git.ts';
import type { Repository } from './repository.ts';

/** A checkout in which a loop works, and what the engine keeps for it. */
export type LoopCheckout = {
  readonly repository: Repository;
  readonly mode: WorkspaceSpec['mode'];
  readonly loopId: string;
  readonly branch: string;
  /** Commit the branch started from. */
  readonly base: string | null;
  readonly at: Checkout;
  readonly workTree: string;
  /** Folders in it that are copies of the user's. */
  readonly linked: readonly string[];
  /** The engine's own files of this loop, inside the git folder of the checkout. */
  readonly folder: string;
  readonly index: PrivateIndex;
  readonly hidden: HiddenFiles;
  readonly converted: ConvertedFiles;
  readonly keptOut: KeptOut;
};

export function createLoopCheckout(
  repository: Repository,
  spec: WorkspaceSpec & { readonly branch: string },
  gitDir: string,
  workTree: string,
): LoopCheckout {
  const folder = loopFolder(gitDir, spec.loopId);
  const own = watchFolders([workTree, gitDir], [path.dirname(folder), folder]);
  const at: Checkout = { gitDir, commonDir: repository.main.commonDir, workTree, own };
  const file = path.join(folder, 'index');
  const { mode, loopId, branch, base } = spec;
  const roots = ['HEAD', keepRef(loopId), ...(base === null ? [] : [base])];
  const ignored = createIgnoreRules(repository, folder);
  const leftOut = spec.link;
  const place = { repository, at, workTree, file, leftOut, roots, ignored };
  const index = createPrivateIndex(place);
  const hidden = createHiddenFiles(place, folder);
  const converted = createConvertedFiles(place, base);
  const keptOut = createKeptOut(folder);
  const files = { linked: leftOut, folder, index, hidden, converted, keptOut };
  return { repository, mode, loopId, branch, base, at, workTree, ...files };
}

export function loopFolder(gitDir: string, loopId: string): string {
  return path.join(gitDir, 'loopwright', loopId);
}

/**
 * Holds the newest commit the engine knows of a loop. An agent that resets the branch, or deletes it, and then prunes
 * cannot make the loop's history disappear. Not under `refs/loopwright`: git would then read `loopwright/<id>`, the
 * name of the branch, as this ref.
 */
export function keepRef(loopId: string): string {
  return `${keptPrefix}${loopId}`;
}

/** Holds uncommitted work of an agent that could not be put back into its files. Goes with the loop's branch. */
export function keptStash(loopId: string, commit: string): string {
  return `${keepRef(loopId)}${stashMark}${commit.slice(0, 12)}`;
}

/** Between the id of the loop and that of the commit. */
export const stashMark = '.stash-';

/** The refs that stand for a loop's work: its branch, and what keeps its newest commit. */
export function ownRefs({
  mode,
  loopId,
  branch,
}: Pick<LoopCheckout, 'mode' | 'loopId' | 'branch'>): readonly string[] {
  const ref = `refs/heads/${branch}`;
  return mode === 'worktree' ? [ref, keepRef(loopId)] : [ref];
}

export const keptPrefix = 'refs/loopwright-kept/';

/**
 * Keeps a commit of a loop that its branch has left: before a rebase, or when the branch was deleted after a merge. The
 * record names such commits, and `git gc` must not take them.
 */
export function pastRef(loopId: string, commit: string): string {
  return `${pastFolder(loopId)}/${commit.slice(0, 16)}`;
}

export function pastFolder(loopId: string): string {
  return `${pastPrefix}${loopId}`;
}

export const pastPrefix = 'refs/loopwright-past/';

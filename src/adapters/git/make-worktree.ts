import { readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isLoopwrightError } from '../../core/error.ts';
import type { Reach } from '../../ports/failpoint.ts';
import type { WorkspaceSpec } from '../../ports/workspace.ts';
import { watchFolders } from '../files/own-folder.ts';
import { syncToDisk } from '../files/sync-to-disk.ts';
import { bringFiles } from './bring-files.ts';
import { listCheckoutsOf } from './user-checkouts.ts';
import type { Checkout } from './git.ts';
import { findRegistered } from './linked-checkouts.ts';
import { createLoopCheckout, keepRef, ownRefs } from './loop-checkout.ts';
import type { LoopCheckout } from './loop-checkout.ts';
import { seedIndex } from './private-index.ts';
import { readRef } from './ref-files.ts';
import {
  dropLeft,
  finishLeft,
  listLeft,
  registerWorktree,
  unregisterWorktree,
} from './registration.ts';
import { removeFolder } from './remove-folder.ts';
import { resolveCommit } from './repository.ts';
import type { Repository } from './repository.ts';
import { fillSubmodules } from './submodules.ts';
import { resetFiles, takeFiles } from './worktree-pool.ts';
import { branchInUse, explainAddFailure } from './worktree-refusal.ts';

export type WorktreeSpec = WorkspaceSpec & { readonly branch: string; readonly base: string };

export type OpenedWorktree = {
  readonly checkout: LoopCheckout;
  readonly created: boolean;
  readonly tree?: string;
  readonly repaired: readonly string[];
  readonly missing: readonly string[];
  readonly notes: readonly string[];
};

/** A repository, and who is told of the steps in which its worktrees come and go. */
export type Registry = { readonly repository: Repository; readonly reach: Reach };

/** Makes the worktree of a loop in a place where there is none. */
export async function createWorktree(
  registry: Registry,
  spec: WorktreeSpec,
  folder: string,
  before: readonly string[],
  signal: AbortSignal,
): Promise<OpenedWorktree> {
  const { repository } = registry;
  const repaired = [...before];
  // Left by a git that was killed, or lost its disk, while it made this very worktree.
  for (const ref of ownRefs(spec)) {
    await dropLock(path.join(repository.main.commonDir, `${ref}.lock`));
  }
  const existing = await resolveKnown(repository, `refs/heads/${spec.branch}`, signal);
  const kept = existing ?? (await resolveKnown(repository, keepRef(spec.loopId), signal));
  if (existing === null && kept !== null) repaired.push(`missing branch ${spec.branch} made again`);
  const wanted = { commit: kept ?? spec.base, isNew: existing === null };
  const reused = await reuseFiles(registry, spec, folder, wanted, signal);
  if (reused.kind === 'failed') {
    const notes = [...repaired, 'a used worktree could not be reset, a new one was made'];
    return createWorktree(registry, { ...spec, pool: 0 }, folder, notes, signal);
  }
  const { gitDir, tree } =
    reused.kind === 'reused'
      ? reused
      : await addWorktree(registry, spec, folder, wanted, { fill: writeFiles }, signal);
  const checkout = createLoopCheckout(repository, spec, gitDir, folder);
  await registry.reach('before:bring-files');
  const missing = await bringFiles(repository.main.workTree ?? folder, folder, spec, signal);
  await registry.reach('after:bring-files');
  await seedIndex(checkout.at, checkout.index.file);
  const notes = [
    ...(await noteFilters(repository, folder)),
    ...(await fillSubmodules(checkout, signal)),
  ];
  const isPure = spec.copy.length + spec.link.length + notes.length === 0;
  if (isPure) checkout.index.startAt(tree);
  await markReady(checkout.folder);
  const opened = { checkout, created: true, repaired, missing, notes };
  return isPure ? { ...opened, tree } : opened;
}

async function dropLock(file: string): Promise<void> {
  try {
    await rm(file, { force: true });
  } catch (error) {
    // A branch has the name of the folder: git says so when this one is made.
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOTDIR')) throw error;
  }
}

/** From here on the files are the loop's work: a worktree without this mark is made anew. */
export async function markReady(loopsFolder: string): Promise<void> {
  await writeFile(path.join(loopsFolder, 'ready'), '');
  syncToDisk(loopsFolder);
}

/** What is checked out, and whether the branch has to be made. */
type Wanted = { readonly commit: string; readonly isNew: boolean };

type Added = { readonly gitDir: string; readonly tree: string };

/** Where files come from: none are there, or those of a folder that becomes the worktree. Then they are made the commit's. */
type Files = {
  readonly source?: string;
  readonly fill: (
    repository: Repository,
    at: Checkout & { readonly workTree: string },
    signal: AbortSignal,
  ) => Promise<void>;
};

/**
 * Makes branch and registration, then the files. Answers the worktree's git folder, and the tree of the commit in it.
 * Leaves nothing when it fails.
 */
async function addWorktree(
  registry: Registry,
  spec: WorktreeSpec,
  folder: string,
  wanted: Wanted,
  { source, fill }: Files,
  signal: AbortSignal,
): Promise<Added> {
  const { repository, reach } = registry;
  const { loopId, branch } = spec;
  if (!wanted.isNew) await refuseUsedBranch(repository, branch, signal);
  try {
    let tree = '';
    const prepare = async () => {
      tree = await prepareBranch(repository, branch, wanted, signal);
    };
    const place = source === undefined ? { folder } : { folder, source };
    const made = { loopId, branch, ...place, isAdopted: false, prepare };
    const gitDir = await registerWorktree(repository, made, reach, signal);
    const own = watchFolders([folder, gitDir]);
    const at = { gitDir, commonDir: repository.main.commonDir, workTree: folder, own };
    await fill(repository, at, signal);
    return { gitDir, tree };
  } catch (error) {
    await abandon(registry, folder, loopId);
    if (!signal.aborted) await dropNewBranch(repository, branch, wanted, signal);
    throw explainAddFailure(branch, error);
  }
}

const writeFiles: Files['fill'] = async (repository, at, signal) => {
  await repository.output({ at, args: ['read-tree', '--reset', '-u', 'HEAD'], signal });
};

/** Answers the tree of the commit. */
async function prepareBranch(
  repository: Repository,
  branch: string,
  { commit, isNew }: Wanted,
  signal: AbortSignal,
): Promise<string> {
  const treeOf = ['rev-parse', '--verify', '--end-of-options', `${commit}^{tree}`];
  if (!isNew) return repository.text({ args: treeOf, signal });
  const input = `create refs/heads/${branch} ${commit}\n`;
  const args = ['update-ref', '-m', `branch: Created from ${commit}`, '--stdin'];
  return repository.text({ args, input, then: { args: treeOf }, signal });
}

/** Two checkouts of one branch would move it under each other's files. */
async function refuseUsedBranch(
  repository: Repository,
  branch: string,
  signal: AbortSignal,
): Promise<void> {
  const [used] = await listCheckoutsOf(repository, `refs/heads/${branch}`, signal);
  if (used !== undefined) throw branchInUse(branch, used.workTree ?? used.gitDir);
}

/** One that has no worktree would only be in the way. Only if it is where it was made. */
async function dropNewBranch(
  repository: Repository,
  branch: string,
  { commit, isNew }: Wanted,
  signal: AbortSignal,
): Promise<void> {
  if (!isNew) return;
  await repository.run({ args: ['update-ref', '-d', `refs/heads/${branch}`, commit], signal });
}

type Reuse =
  | { readonly kind: 'none' }
  | ({ readonly kind: 'reused' } & Added)
  /** They could not be brought to the commit, and are gone. */
  | { readonly kind: 'failed' };

/** The same with files of the pool, if there are any. */
async function reuseFiles(
  registry: Registry,
  spec: WorktreeSpec,
  folder: string,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<Reuse> {
  const taken = (spec.pool ?? 0) === 0 ? null : await takeFiles(folder);
  if (taken === null) return { kind: 'none' };
  try {
    // One that is empty may be there.
    await rmdir(folder).catch(() => undefined);
    const files = { source: taken, fill: resetFiles };
    return {
      kind: 'reused',
      ...(await addWorktree(registry, spec, folder, wanted, files, signal)),
    };
  } catch (error) {
    signal.throwIfAborted();
    if (isLoopwrightError(error) && error.code !== 'git.failed') throw error;
    return { kind: 'failed' };
  } finally {
    await removeFolder(taken);
  }
}

/** Takes a worktree away with its registration, in an order in which git sees the whole of it or nothing. */
export async function discard(
  { repository, reach }: Registry,
  gitDir: string,
  folder: string,
  loopId: string,
): Promise<void> {
  const left = await unregisterWorktree(repository.main.commonDir, gitDir, loopId, reach);
  await removeFolder(folder);
  if (left !== null) await dropLeft(left);
}

/** Whatever there is of a worktree that did not come about. */
async function abandon(registry: Registry, folder: string, loopId: string): Promise<void> {
  const registered = await findRegistered(registry.repository, folder);
  if (registered !== null) await discard(registry, registered.gitDir, folder, loopId);
  await finishLeftAt(registry.repository, folder);
}

/** What was left half made or half removed at this path. The caller owns the loop, so nobody else is at it. */
export async function finishLeftAt({ main }: Repository, folder: string): Promise<void> {
  for (const left of await listLeft(main.commonDir)) {
    if (left.folder === folder) await finishLeft(left);
  }
}

/** A new loop has neither branch nor kept commit: no process is needed to know that. */
async function resolveKnown(
  repository: Repository,
  ref: string,
  signal: AbortSignal,
): Promise<string | null> {
  const known = readRef(repository.main, ref);
  return known === null ? null : resolveCommit(repository, ref, signal);
}

/** Checks that need the real content of such files would fail for a reason nobody sees. */
async function noteFilters(repository: Repository, folder: string): Promise<string[]> {
  if (repository.user.filters.size === 0) return [];
  const text = await readFile(path.join(folder, '.gitattributes'), 'utf8').catch(() => '');
  const words = new Set(text.split(/\s/));
  const used = [...repository.user.filters].filter((name) => words.has(`filter=${name}`));
  return used.map(
    (name) =>
      `the content filter ${name} is not run here: its files are in the worktree as git stores them, and a loop that changes one does not complete`,
  );
}

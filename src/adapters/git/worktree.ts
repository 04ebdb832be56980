import { lstat, mkdir, readdir, realpath, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { stateFolderName } from '../files/folder-state.ts';
import { watchFolders } from '../files/own-folder.ts';
import { bringBackAutostash } from './autostash.ts';
import { replaceLinks } from './bring-files.ts';
import { carryOne } from './carry-over.ts';
import { fileSystemSettings } from './file-system.ts';
import type { Checkout } from './git.ts';
import { headBranch } from './head.ts';
import { clearFlags } from './index-flags.ts';
import { dropLink, findRegistered } from './linked-checkouts.ts';
import { createLoopCheckout, keepRef, loopFolder } from './loop-checkout.ts';
import type { LoopCheckout } from './loop-checkout.ts';
import { createWorktree, discard, finishLeftAt } from './make-worktree.ts';
import type { OpenedWorktree, Registry, WorktreeSpec } from './make-worktree.ts';
import { abortOperation, mendWorktree, unfinishedOperation } from './mend.ts';
import {
  isLinkedTo,
  isReady,
  markPlace,
  requireOwnParents,
  setAside,
  standingOf,
} from './own-worktree.ts';
import { undoHalfRebase } from './rebase.ts';
import { dropLeft, registerWorktree, unregisterWorktree } from './registration.ts';
import { removeFolder } from './remove-folder.ts';
import { mendOwnRegistration } from './repair-registration.ts';
import { resolveCommit } from './repository.ts';
import type { Repository } from './repository.ts';
import { endVisit } from './visit.ts';
import { parkFiles } from './worktree-pool.ts';
import { pathTaken } from './worktree-refusal.ts';

/** Finds, mends or makes the worktree of a loop. */
export async function openWorktree(
  registry: Registry,
  spec: WorktreeSpec,
  signal: AbortSignal,
): Promise<OpenedWorktree> {
  const folder = await realFolder(registry.repository, spec.path);
  const repository = registry.repository.with(fileSystemSettings(path.dirname(folder)));
  const here = { ...registry, repository };
  const carried = carryOne(repository.main.commonDir, spec.loopId, folder);
  await finishLeftAt(repository, folder);
  const mended = [...carried, ...(await mendOwnRegistration(here, spec, folder, signal))];
  const registered = await findRegistered(repository, folder);
  if (registered === null) return openUnregistered(here, spec, folder, mended, signal);
  const { gitDir } = registered;
  await requireOurs(repository, spec, registered, signal);
  const standing = await standingOf(gitDir, spec.loopId, folder);
  if (standing === 'ours' && isReady(gitDir, spec.loopId)) {
    markPlace(gitDir, spec.loopId, folder);
    const checkout = createLoopCheckout(repository, spec, gitDir, folder);
    return reopenWorktree(checkout, spec, mended, signal);
  }
  const notes = [
    ...mended,
    ...(standing === 'foreign' ? [await setAside(folder)] : []),
    standing === 'ours'
      ? 'half-made worktree made anew'
      : 'missing worktree made anew from its branch',
  ];
  await discard(here, gitDir, folder, spec.loopId);
  return createWorktree(here, spec, folder, notes, signal);
}

async function openUnregistered(
  registry: Registry,
  spec: WorktreeSpec,
  folder: string,
  mended: readonly string[],
  signal: AbortSignal,
): Promise<OpenedWorktree> {
  const found = await lstat(folder).catch(() => null);
  const notes = found?.isSymbolicLink() === true ? [...mended, await setAside(folder)] : mended;
  if (!(await isOccupied(folder))) return createWorktree(registry, spec, folder, notes, signal);
  return adoptWorktree(registry, spec, folder, signal);
}

/**
 * Removes folder and registration, both only when they are the loop's. Answers the path of what stands in place of its folder
 * and was left there; null ordinarily.
 */
export async function removeWorktree(
  registry: Registry,
  spec: WorktreeSpec,
  signal: AbortSignal,
): Promise<string | null> {
  const { repository } = registry;
  const folder = await realFolder(repository, spec.path);
  carryOne(repository.main.commonDir, spec.loopId, folder);
  await finishLeftAt(repository, folder);
  await mendOwnRegistration(registry, spec, folder, signal);
  const registered = await findRegistered(repository, folder);
  await dropLink(folder);
  if (registered !== null) {
    await requireOurs(repository, spec, registered, signal);
    return removeRegistered(registry, spec, { ...registered, workTree: folder }, signal);
  }
  if (!(await isOccupied(folder))) return null;
  await requireOurGitFile(repository, folder);
  await removeFolder(folder);
  return null;
}

async function removeRegistered(
  { repository, reach }: Registry,
  { loopId, pool = 0 }: WorktreeSpec,
  { gitDir, commonDir, workTree }: Checkout & { readonly workTree: string },
  signal: AbortSignal,
): Promise<string | null> {
  const standing = await standingOf(gitDir, loopId, workTree);
  const left = await unregisterWorktree(commonDir, gitDir, loopId, reach);
  if (standing === 'ours' && left !== null) {
    const at = { gitDir: left, commonDir, workTree, own: watchFolders([workTree, left]) };
    await parkFiles(repository, at, pool, signal);
    await removeFolder(workTree);
  }
  if (standing === 'absent') await rmdir(workTree).catch(() => undefined);
  if (left !== null) await dropLeft(left);
  return standing === 'foreign' ? workTree : null;
}

async function reopenWorktree(
  checkout: LoopCheckout,
  { link }: WorktreeSpec,
  notes: readonly string[],
  signal: AbortSignal,
): Promise<OpenedWorktree> {
  const repaired = [...notes, ...(await mendWorktree(checkout))];
  const operation = await unfinishedOperation(checkout.at.gitDir);
  if (operation !== null) {
    await abortOperation(checkout, operation, signal);
    repaired.push(`half ${operation} aborted`);
  }
  if (await undoHalfRebase(checkout, signal)) repaired.push('half rebase undone');
  if (await endVisit(checkout, signal)) repaired.push('brought back from the check of a merge');
  repaired.push(...(await bringBackAutostash(checkout, signal)));
  const root = checkout.repository.main.workTree;
  const links = root === null ? [] : await replaceLinks(root, checkout.workTree, link, signal);
  repaired.push(...links.map((name) => `${name} led to your checkout, now it is a copy`));
  // A damaged index is made anew by the first snapshot.
  await clearFlags(checkout, signal).catch(() => signal.throwIfAborted());
  return { checkout, created: false, repaired, missing: [], notes: [] };
}

/** The folder is there but the repository has forgotten it (an agent ran `git worktree remove` or `prune`): its files are kept. */
async function adoptWorktree(
  { repository, reach }: Registry,
  spec: WorktreeSpec,
  folder: string,
  signal: AbortSignal,
): Promise<OpenedWorktree> {
  await requireOurGitFile(repository, folder);
  const { loopId, branch } = spec;
  const ref = `refs/heads/${branch}`;
  const tip =
    (await resolveCommit(repository, ref, signal)) ??
    (await resolveCommit(repository, keepRef(loopId), signal)) ??
    spec.base;
  /** With its index and the mark that its files are work before git sees it: a kill in between loses none of them. */
  const prepare = async (made: string) => {
    const { at, index, folder: own } = createLoopCheckout(repository, spec, made, folder);
    await repository.output({ args: ['update-ref', ref, tip], signal });
    await repository.output({ at, args: ['read-tree', 'HEAD'], signal });
    await index.reset('HEAD', signal);
    await writeFile(path.join(own, 'ready'), '');
  };
  const adopted = { loopId, branch, folder, isAdopted: true, prepare };
  const gitDir = await registerWorktree(repository, adopted, reach, signal);
  markPlace(gitDir, loopId, folder);
  const checkout = createLoopCheckout(repository, spec, gitDir, folder);
  return reopenWorktree(checkout, spec, ['worktree registered again, files kept'], signal);
}

async function requireOurs(
  repository: Repository,
  spec: WorktreeSpec,
  registered: Checkout,
  signal: AbortSignal,
): Promise<void> {
  const marked = await lstat(loopFolder(registered.gitDir, spec.loopId)).catch(() => null);
  if (marked !== null) return;
  const shown = await headBranch(repository, registered, signal).catch(() => null);
  if (shown === `refs/heads/${spec.branch}`) return;
  throw pathTaken(spec.path);
}

/** Where the `.git` file says the worktree belongs, if that is a place in this very repository that nobody uses. */
async function requireOurGitFile(repository: Repository, folder: string): Promise<string> {
  const gitDir = path.join(repository.main.commonDir, 'worktrees', path.basename(folder));
  const taken = await lstat(gitDir).catch(() => null);
  if (taken === null && isLinkedTo(folder, gitDir)) return gitDir;
  throw pathTaken(folder);
}

async function isOccupied(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => null);
  if (found === null) return false;
  return !found.isDirectory() || (await readdir(folder)).length > 0;
}

/** git records real paths. The parent is made, the folder itself need not exist. */
async function realFolder({ main }: Repository, folder: string): Promise<string> {
  requireOwnParents(main.workTree ?? main.gitDir, stateFolderName, folder);
  await mkdir(path.dirname(folder), { recursive: true });
  return path.join(await realpath(path.dirname(folder)), path.basename(folder));
}

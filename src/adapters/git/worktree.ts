import { lstat, mkdir, readdir, readFile, realpath, rm, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isLoopwrightError } from '../../core/error.ts';
import type { WorkspaceSpec } from '../../ports/workspace.ts';
import { stateFolderName } from '../files/folder-state.ts';
import { watchFolders } from '../files/own-folder.ts';
import { syncAllToDisk } from '../files/sync-to-disk.ts';
import { bringFiles } from './bring-files.ts';
import { fileSystemSettings } from './file-system.ts';
import type { Checkout } from './git.ts';
import { gitFailed } from './git.ts';
import { headBranch } from './head.ts';
import { clearFlags } from './index-flags.ts';
import { dropLink, findRegistered } from './linked-checkouts.ts';
import { createLoopCheckout, keepRef, loopFolder, ownRefs } from './loop-checkout.ts';
import type { LoopCheckout } from './loop-checkout.ts';
import { abortOperation, mendWorktree, unfinishedOperation } from './mend.ts';
import { isLinkedTo, markPlace, requireOwnParents, setAside, standingOf } from './own-worktree.ts';
import { seedIndex } from './private-index.ts';
import { undoHalfRebase } from './rebase.ts';
import { readRef } from './ref-files.ts';
import { removeFolder } from './remove-folder.ts';
import { resolveCommit } from './repository.ts';
import { fillSubmodules } from './submodules.ts';
import type { Repository } from './repository.ts';
import { moveFilesIn, parkFiles, resetFiles, takeFiles } from './worktree-pool.ts';
import { explainAddFailure, pathTaken } from './worktree-refusal.ts';

export type WorktreeSpec = WorkspaceSpec & { readonly branch: string; readonly base: string };

export type OpenedWorktree = {
  readonly checkout: LoopCheckout;
  readonly created: boolean;
  readonly tree?: string;
  readonly repaired: readonly string[];
  readonly missing: readonly string[];
  readonly notes: readonly string[];
};

const tries = 5;

/** Finds, mends or makes the worktree of a loop. */
export async function openWorktree(
  project: Repository,
  spec: WorktreeSpec,
  signal: AbortSignal,
): Promise<OpenedWorktree> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await openOnce(project, spec, signal);
    } catch (error) {
      if (attempt === tries || !isOfHalfMadeNeighbour(error)) throw error;
      await sleep(attempt * 20, undefined, { signal });
    }
  }
}

/** git reads what is registered of all worktrees, also of one that another git is writing at this moment. */
function isOfHalfMadeNeighbour(error: unknown): boolean {
  const message = error instanceof Error ? error.message : '';
  return message.includes('failed to read') && /\/worktrees\/[^/]+\/\w+:/.test(message);
}

async function openOnce(
  project: Repository,
  spec: WorktreeSpec,
  signal: AbortSignal,
): Promise<OpenedWorktree> {
  const folder = await realFolder(project, spec.path);
  const repository = project.with(fileSystemSettings(path.dirname(folder)));
  const registered = await findRegistered(repository, folder);
  if (registered === null) return openUnregistered(repository, spec, folder, signal);
  const { gitDir } = registered;
  await requireOurs(repository, spec, registered, signal);
  const standing = await standingOf(gitDir, spec.loopId, folder);
  if (standing === 'ours' && (await isReady(gitDir, spec.loopId))) {
    markPlace(gitDir, spec.loopId, folder);
    return reopenWorktree(createLoopCheckout(repository, spec, gitDir, folder), [], signal);
  }
  const notes = [
    ...(standing === 'foreign' ? [await setAside(folder)] : []),
    standing === 'ours'
      ? 'half-made worktree made anew'
      : 'missing worktree made anew from its branch',
  ];
  await discard(gitDir, folder);
  return createWorktree(repository, spec, folder, notes, signal);
}

async function openUnregistered(
  repository: Repository,
  spec: WorktreeSpec,
  folder: string,
  signal: AbortSignal,
): Promise<OpenedWorktree> {
  const found = await lstat(folder).catch(() => null);
  const notes = found?.isSymbolicLink() === true ? [await setAside(folder)] : [];
  if (!(await isOccupied(folder))) return createWorktree(repository, spec, folder, notes, signal);
  return adoptWorktree(repository, spec, folder, signal);
}

/**
 * Removes folder and registration, both only when they are the loop's. Answers the path of what stands in place of its folder
 * and was left there; null ordinarily.
 */
export async function removeWorktree(
  repository: Repository,
  spec: WorktreeSpec,
  signal: AbortSignal,
): Promise<string | null> {
  const folder = await realFolder(repository, spec.path);
  const registered = await findRegistered(repository, folder);
  await dropLink(folder);
  if (registered !== null) {
    const { gitDir } = registered;
    await requireOurs(repository, spec, registered, signal);
    const standing = await standingOf(gitDir, spec.loopId, folder);
    if (standing === 'ours') {
      const at = { ...registered, workTree: folder, own: watchFolders([folder, gitDir]) };
      await parkFiles(repository, at, spec.pool ?? 0, signal);
      await removeFolder(folder);
    }
    if (standing === 'absent') await rmdir(folder).catch(() => undefined);
    await forget(gitDir);
    return standing === 'foreign' ? folder : null;
  }
  if (!(await isOccupied(folder))) return null;
  await requireOurGitFile(repository, folder);
  await removeFolder(folder);
  return null;
}

async function createWorktree(
  repository: Repository,
  spec: WorktreeSpec,
  folder: string,
  before: readonly string[],
  signal: AbortSignal,
): Promise<OpenedWorktree> {
  const repaired = [...before];
  // Left by a git that was killed, or lost its disk, while it made this very worktree.
  for (const ref of ownRefs(spec))
    await rm(path.join(repository.main.commonDir, `${ref}.lock`), { force: true });
  const existing = await resolveKnown(repository, `refs/heads/${spec.branch}`, signal);
  const kept = existing ?? (await resolveKnown(repository, keepRef(spec.loopId), signal));
  if (existing === null && kept !== null) repaired.push(`missing branch ${spec.branch} made again`);
  const commit = kept ?? spec.base;
  const words =
    existing === null ? ['--no-track', '-b', spec.branch, folder, commit] : [folder, spec.branch];
  const what = { words, commit };
  const reused = await reuseFiles(repository, spec, folder, what, signal);
  if (reused.kind === 'failed') {
    const notes = [...repaired, 'a used worktree could not be reset, a new one was made'];
    return createWorktree(repository, { ...spec, pool: 0 }, folder, notes, signal);
  }
  const { gitDir, tree } =
    reused.kind === 'reused' ? reused : await addWorktree(repository, spec, folder, what, signal);
  await mkdir(loopFolder(gitDir, spec.loopId), { recursive: true });
  markPlace(gitDir, spec.loopId, folder);
  const checkout = createLoopCheckout(repository, spec, gitDir, folder);
  const missing = await bringFiles(repository.main.workTree ?? folder, folder, spec);
  await seedIndex(checkout.at, checkout.index.file);
  const notes = [
    ...(await noteFilters(repository, folder)),
    ...(await fillSubmodules(checkout, signal)),
  ];
  const isPure = spec.copy.length + spec.link.length + notes.length === 0;
  if (isPure) checkout.index.startAt(tree);
  await syncRegistration(checkout);
  await writeFile(path.join(checkout.folder, 'ready'), '', { flush: true });
  await syncAllToDisk([checkout.folder]);
  const opened = { checkout, created: true, repaired, missing, notes };
  return isPure ? { ...opened, tree } : opened;
}

/** What git goes by to find a worktree: half of it after a power cut would be in the way of every command. */
async function syncRegistration({ at, workTree, folder }: LoopCheckout): Promise<void> {
  const names = ['HEAD', 'commondir', 'gitdir', 'index'].map((name) => path.join(at.gitDir, name));
  const own = (await readdir(folder)).map((name) => path.join(folder, name));
  await syncAllToDisk([...names, ...own, path.join(workTree, '.git')]);
  const outwards = [folder, path.dirname(folder), at.gitDir, path.dirname(at.gitDir), at.commonDir];
  await syncAllToDisk([...outwards, workTree, path.dirname(workTree)]);
}

/** What is checked out: the last words for `git worktree add`, and the commit they come to. */
type Wanted = { readonly words: readonly string[]; readonly commit: string };

type Added = { readonly gitDir: string; readonly tree: string };

/** Answers the worktree's git folder, and the tree of the commit in it. */
async function addWorktree(
  repository: Repository,
  spec: WorktreeSpec,
  folder: string,
  { words, commit }: Wanted,
  signal: AbortSignal,
): Promise<Added> {
  const args = ['worktree', 'add', '--quiet', ...words];
  const then = { args: ['rev-parse', '--verify', '--end-of-options', `${commit}^{tree}`] };
  const result = await repository.run({ args, then, signal });
  if (result.exitCode !== 0) {
    await dropNewBranch(repository, { words, commit }, signal);
    throw explainAddFailure(spec.branch, gitFailed(args, result), result.stderr);
  }
  const registered = await findRegistered(repository, folder);
  if (registered === null) throw gitFailed(args, result);
  return { gitDir: registered.gitDir, tree: result.stdout.toString('utf8').trim() };
}

/** git makes the branch before the files: one that has no worktree would only be in the way. Only if it is where it was made. */
async function dropNewBranch(
  repository: Repository,
  { words, commit }: Wanted,
  signal: AbortSignal,
): Promise<void> {
  const named = words[words.indexOf('-b') + 1];
  if (!words.includes('-b') || named === undefined) return;
  await repository.run({ args: ['update-ref', '-d', `refs/heads/${named}`, commit], signal });
}

type Reuse =
  | { readonly kind: 'none' }
  | ({ readonly kind: 'reused' } & Added)
  /** They could not be brought to the commit, and are gone. */
  | { readonly kind: 'failed' };

/** The same with files of the pool, if there are any. */
async function reuseFiles(
  repository: Repository,
  spec: WorktreeSpec,
  folder: string,
  { words, commit }: Wanted,
  signal: AbortSignal,
): Promise<Reuse> {
  const taken = (spec.pool ?? 0) === 0 ? null : await takeFiles(folder);
  if (taken === null) return { kind: 'none' };
  try {
    const empty = { words: ['--no-checkout', ...words], commit };
    const added = await addWorktree(repository, spec, folder, empty, signal);
    const { gitDir } = added;
    await moveFilesIn(taken, folder);
    const own = watchFolders([folder, gitDir]);
    const at = { gitDir, commonDir: repository.main.commonDir, workTree: folder, own };
    await resetFiles(repository, at, signal);
    return { kind: 'reused', ...added };
  } catch (error) {
    signal.throwIfAborted();
    if (isLoopwrightError(error) && error.code !== 'git.failed') throw error;
    const registered = await findRegistered(repository, folder);
    if (registered !== null) await discard(registered.gitDir, folder);
    // Nothing is wrong with the files: it is tried again.
    if (isOfHalfMadeNeighbour(error)) throw error;
    return { kind: 'failed' };
  } finally {
    await removeFolder(taken);
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

async function reopenWorktree(
  checkout: LoopCheckout,
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
  // A damaged index is made anew by the first snapshot.
  await clearFlags(checkout, signal).catch(() => signal.throwIfAborted());
  return { checkout, created: false, repaired, missing: [], notes: [] };
}

/** The folder is there but the repository has forgotten it (an agent ran `git worktree remove` or `prune`): its files are kept. */
async function adoptWorktree(
  repository: Repository,
  spec: WorktreeSpec,
  folder: string,
  signal: AbortSignal,
): Promise<OpenedWorktree> {
  const gitDir = await requireOurGitFile(repository, folder);
  const tip =
    (await resolveCommit(repository, `refs/heads/${spec.branch}`, signal)) ??
    (await resolveCommit(repository, keepRef(spec.loopId), signal)) ??
    spec.base;
  await mkdir(loopFolder(gitDir, spec.loopId), { recursive: true });
  await writeFile(path.join(gitDir, 'commondir'), '../..\n');
  await writeFile(path.join(gitDir, 'gitdir'), `${path.join(folder, '.git')}\n`);
  await writeFile(path.join(gitDir, 'HEAD'), `ref: refs/heads/${spec.branch}\n`);
  markPlace(gitDir, spec.loopId, folder);
  const checkout = createLoopCheckout(repository, spec, gitDir, folder);
  const update = ['update-ref', `refs/heads/${spec.branch}`, tip];
  await repository.output({ at: checkout.at, args: update, signal });
  await repository.output({ at: checkout.at, args: ['read-tree', 'HEAD'], signal });
  await checkout.index.reset('HEAD', signal);
  await writeFile(path.join(checkout.folder, 'ready'), '');
  return reopenWorktree(checkout, ['worktree registered again, files kept'], signal);
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

async function isReady(gitDir: string, loopId: string): Promise<boolean> {
  return (await lstat(path.join(loopFolder(gitDir, loopId), 'ready')).catch(() => null)) !== null;
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

/** Not `git worktree prune`: that would also forget worktrees of the user's whose disk is not mounted now. */
async function discard(gitDir: string, folder: string): Promise<void> {
  await removeFolder(folder);
  await forget(gitDir);
}

async function forget(gitDir: string): Promise<void> {
  await rm(gitDir, { recursive: true, force: true });
  await rmdir(path.dirname(gitDir)).catch(() => undefined);
}

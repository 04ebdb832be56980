import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { LoopwrightError } from '../../core/error.ts';
import type { Rebase } from '../../ports/workspace.ts';
import { syncAllToDisk } from '../files/sync-to-disk.ts';
import { gitFailed } from './git.ts';
import { headBranch, headCommit } from './head.ts';
import { listInTheWay } from './in-the-way.ts';
import { keepRef, ownRefs, pastRef } from './loop-checkout.ts';
import type { LoopCheckout } from './loop-checkout.ts';
import { splitRecords } from './path-bytes.ts';
import { replaceFile } from './private-index.ts';
import { isAncestor, isObjectId } from './repository.ts';
import { syncedIndex, syncMoved } from './sync-moved.ts';
import { diffTrees } from './tree-diff.ts';

type Replayed =
  | { readonly kind: 'clean'; readonly head: string }
  | { readonly kind: 'conflict'; readonly files: readonly string[] };

type Change = {
  readonly commit: string;
  readonly tree: string;
  readonly author: Readonly<Record<string, string>>;
  readonly message: string;
};

/**
 * Replays the loop's commits in the object store alone, so a conflict leaves nothing to undo. Files and refs move only
 * when the whole result is known. A merge the agent made is replayed as the one change it was to the branch.
 */
export async function rebaseBranch(
  checkout: LoopCheckout,
  onto: string,
  from: string,
  signal: AbortSignal,
): Promise<Rebase> {
  const head = await requireHead(checkout, signal);
  const replayed = await replayCommits(checkout, head, onto, from, signal);
  if (replayed.kind !== 'rebased') return replayed;
  const obstacles = await switchTo(checkout, head, replayed.head, signal);
  if (obstacles.length > 0) return { kind: 'conflict', files: obstacles };
  return replayed;
}

/** Where the objects are; no file and no ref of it is touched. */
type ObjectStore = Pick<LoopCheckout, 'repository' | 'at'>;

/** The commits of a head after `from`, on top of another commit: objects only. */
export async function replayCommits(
  store: ObjectStore,
  head: string,
  onto: string,
  from: string,
  signal: AbortSignal,
): Promise<Rebase> {
  if (await isAncestor(store.repository, onto, head, signal)) return { kind: 'up-to-date', head };
  const changes = await listChanges(store, onto, from, head, signal);
  let replayed = await replay(store, changes, onto, signal);
  // Steps that undo each other can conflict where their sum does not.
  if (replayed.kind === 'conflict' && changes.length > 1) {
    const whole = await replayAsOne(store, changes, onto, head, signal);
    if (whole.kind === 'clean') replayed = whole;
  }
  return replayed.kind === 'conflict' ? replayed : { kind: 'rebased', head: replayed.head };
}

/** A rebase that was cut between files and refs: the files go back to the branch. True when there was one. */
export async function undoHalfRebase(
  checkout: LoopCheckout,
  signal: AbortSignal,
): Promise<boolean> {
  const note = await readFile(noteFile(checkout), 'utf8').catch(() => null);
  if (note === null) return false;
  const { repository, at, index } = checkout;
  const env = { GIT_INDEX_FILE: index.file };
  await rm(`${index.file}.lock`, { force: true });
  const args = ['read-tree', '--reset', '-u', 'HEAD'];
  if ((await repository.run({ at, env, args, signal })).exitCode !== 0) {
    // The index is damaged. With that of the new head the files that only it has go as well.
    const [, newHead = 'HEAD'] = note.trim().split(' ');
    await index.reset(isObjectId(newHead) ? newHead : 'HEAD', signal);
    await repository.output({ at, env, args, signal });
  }
  index.changed();
  await replaceFile(index.file, path.join(at.gitDir, 'index'));
  await rm(noteFile(checkout), { force: true });
  return true;
}

function noteFile({ folder }: LoopCheckout): string {
  return path.join(folder, 'rebasing');
}

/** Agents can write in that folder: a link left in the way is removed, never written through. */
async function writeNote(checkout: LoopCheckout, text: string): Promise<void> {
  await rm(noteFile(checkout), { recursive: true, force: true });
  await writeFile(noteFile(checkout), text, { flag: 'wx', flush: true });
  await syncAllToDisk([checkout.folder]);
}

/** The head of a workspace that is on its branch. */
export async function requireHead(checkout: LoopCheckout, signal: AbortSignal): Promise<string> {
  const { repository, at, branch } = checkout;
  const onBranch = await headBranch(repository, at, signal);
  const head = await headCommit(repository, at, signal);
  if (onBranch === `refs/heads/${branch}` && head !== null) return head;
  throw new LoopwrightError('workspace.off_branch', `The workspace is not on ${branch}`, {
    hint: 'Commit the workspace first: that brings HEAD back.',
  });
}

async function listChanges(
  { repository, at }: ObjectStore,
  onto: string,
  from: string,
  head: string,
  signal: AbortSignal,
): Promise<readonly Change[]> {
  const format = '--format=%H%x00%T%x00%an%x00%ae%x00%ad%x00%B';
  const range = [head, `^${from}`, `^${onto}`];
  const args = [
    'log',
    '-z',
    '--first-parent',
    '--reverse',
    '--topo-order',
    '--date=raw',
    '--no-mailmap',
    format,
  ];
  const output = await repository.output({ at, args: [...args, ...range], signal });
  const fields = output.toString('utf8').split('\0');
  const changes: Change[] = [];
  for (let start = 0; start + 5 < fields.length; start += 6) {
    const [commit = '', tree = '', name = '', email = '', date = '', message = ''] = fields.slice(
      start,
      start + 6,
    );
    const author = {
      GIT_AUTHOR_NAME: name.trim() || repository.user.name,
      GIT_AUTHOR_EMAIL: email,
      GIT_AUTHOR_DATE: date,
    };
    changes.push({ commit, tree, author, message });
  }
  return changes;
}

async function replay(
  checkout: ObjectStore,
  changes: readonly Change[],
  onto: string,
  signal: AbortSignal,
): Promise<Replayed> {
  const { repository, at } = checkout;
  let head = onto;
  let tree = await repository.text({ at, args: ['rev-parse', `${onto}^{tree}`], signal });
  for (const change of changes) {
    const merged = await mergeChange(checkout, change, tree, signal);
    if (merged.kind === 'conflict') return merged;
    if (merged.tree === tree) continue;
    tree = merged.tree;
    const args = ['commit-tree', '--no-gpg-sign', '-p', head, '-F', '-', tree];
    head = await repository.text({ at, args, env: change.author, input: change.message, signal });
  }
  return { kind: 'clean', head };
}

/** All of the loop's commits as one, with the words of the last. */
async function replayAsOne(
  checkout: ObjectStore,
  changes: readonly Change[],
  onto: string,
  head: string,
  signal: AbortSignal,
): Promise<Replayed> {
  const { repository, at } = checkout;
  const merged = await mergeCommits(checkout, onto, head, signal);
  if (merged.kind === 'conflict') return merged;
  const { author, message } = changes.at(-1) ?? { author: {}, message: '' };
  const before = await repository.text({ at, args: ['rev-parse', `${onto}^{tree}`], signal });
  if (merged.tree === before) return { kind: 'clean', head: onto };
  const args = ['commit-tree', '--no-gpg-sign', '-p', onto, '-F', '-', merged.tree];
  return {
    kind: 'clean',
    head: await repository.text({ at, args, env: author, input: message, signal }),
  };
}

type Merged =
  | { readonly kind: 'clean'; readonly tree: string }
  | { readonly kind: 'conflict'; readonly files: readonly string[] };

/**
 * Merges one commit into a tree. `merge-tree` finds the base by ancestry, so the tree is first dressed as a sibling of
 * the commit. (`--merge-base` would do, from git 2.40 on.)
 */
async function mergeChange(
  checkout: ObjectStore,
  change: Change,
  tree: string,
  signal: AbortSignal,
): Promise<Merged> {
  const { repository, at } = checkout;
  const sibling = [
    'commit-tree',
    '--no-gpg-sign',
    '-p',
    `${change.commit}^1`,
    '-m',
    'sibling',
    tree,
  ];
  const ours = await repository.text({ at, args: sibling, signal });
  return mergeCommits(checkout, ours, change.commit, signal);
}

async function mergeCommits(
  { repository, at }: ObjectStore,
  ours: string,
  theirs: string,
  signal: AbortSignal,
): Promise<Merged> {
  const how = ['--write-tree', '--name-only', '--no-messages', '-z'];
  const args = ['merge-tree', ...how, ours, theirs];
  const result = await repository.run({ at, args, signal });
  const [merged = '', ...files] = splitRecords(result.stdout);
  if (result.exitCode === 0 && isObjectId(merged)) return { kind: 'clean', tree: merged };
  if (result.exitCode !== 1) throw gitFailed(args, result);
  return { kind: 'conflict', files: [...new Set(files)].filter((file) => file !== '').toSorted() };
}

/** Answers the files that stand in the way; then nothing has changed. */
async function switchTo(
  checkout: LoopCheckout,
  oldHead: string,
  newHead: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { repository, at, mode, loopId, branch, index } = checkout;
  const env = { GIT_INDEX_FILE: index.file };
  await index.snapshot(signal);
  await index.sync();
  if (mode === 'in-place') {
    const taken = await listInTheWay(repository, checkout.workTree, oldHead, newHead, signal);
    if (taken.length > 0) return taken;
  }
  if (mode === 'worktree') await writeNote(checkout, `${oldHead} ${newHead}\n`);
  const gently = ['read-tree', '-m', '-u', oldHead, newHead];
  const moved = await repository.run({ at, env, args: gently, signal });
  if (moved.exitCode !== 0) {
    if (mode === 'in-place') return listObstacles(checkout, oldHead, newHead, signal);
    // What checks left in the way is not work: it gives way, and they make it again.
    const firmly = ['read-tree', '--reset', '-u', newHead];
    await repository.output({ at, env, args: firmly, signal });
  }
  index.changed();
  const update = [`update refs/heads/${branch} ${newHead} ${oldHead}`];
  if (mode === 'worktree') {
    update.push(`update ${keepRef(loopId)} ${newHead}`);
    // The record names commits that the branch leaves now.
    update.push(`update ${pastRef(loopId, oldHead)} ${oldHead}`);
  }
  const args = ['update-ref', '-m', 'loopwright: rebase', '--stdin'];
  await repository.output({ at, args, input: `${update.join('\n')}\n`, signal });
  await showRebased(checkout, oldHead, newHead, signal);
  await syncMoved(repository, at, oldHead, newHead, signal);
  await repository.disk.refs(ownRefs(checkout));
  await rm(noteFile(checkout), { force: true });
  return [];
}

async function showRebased(
  { repository, at, index, mode }: LoopCheckout,
  oldHead: string,
  newHead: string,
  signal: AbortSignal,
): Promise<void> {
  if (mode === 'worktree') {
    await replaceFile(index.file, path.join(at.gitDir, 'index'));
    await repository.output({ at, args: ['read-tree', '-m', newHead], signal });
    return;
  }
  // The user's own index: what they have staged stays, as long as the rebase does not touch the same paths.
  const synced = repository.with(syncedIndex);
  const kept = await synced.run({ at, args: ['read-tree', '-m', '-i', oldHead, newHead], signal });
  if (kept.exitCode !== 0) await synced.output({ at, args: ['read-tree', '-m', newHead], signal });
}

/** Paths that differ from the old head in the files and that the rebase would change. */
async function listObstacles(
  { repository, index }: LoopCheckout,
  oldHead: string,
  newHead: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const here = await index.snapshot(signal);
  const local = (await diffTrees(repository, oldHead, here, signal)).entries;
  const coming = (await diffTrees(repository, oldHead, newHead, signal)).entries;
  const wanted = new Set(coming.map((entry) => entry.path));
  const files = local.map((entry) => entry.path).filter((file) => wanted.has(file));
  return files.length > 0 ? files.toSorted() : [...wanted].toSorted();
}

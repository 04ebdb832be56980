import { lstatSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { setAsideAutostash } from './autostash.ts';
import { requireOwn } from './git.ts';
import { smallText } from '../files/small-file.ts';
import { keepRef } from './loop-checkout.ts';
import type { LoopCheckout } from './loop-checkout.ts';
import { mendHeadFile } from './head.ts';
import { isLinkedTo } from './own-worktree.ts';
import { commonDirText, linkFolder, replaceSynced } from './registration.ts';

/**
 * Undoes what a killed process or an agent left in the git folder of a loop's own worktree, so that git works there.
 * Called only when no agent runs. Answers what was put right, in plain words. Never used on the user's checkout.
 */
export async function mendWorktree(checkout: LoopCheckout): Promise<string[]> {
  // Nothing is mended, and so half made again, where the worktree is gone or another folder is in its place.
  requireOwn(checkout.at);
  const notes: string[] = [];
  for (const lock of await removeLocks(checkout)) notes.push(`stale lock removed: ${lock}`);
  if (await mendCommonDirFile(checkout)) notes.push('link to the repository written again');
  if (await mendHeadFile(checkout.at, checkout.branch)) notes.push('unreadable HEAD written again');
  if (await mendGitFile(checkout)) notes.push('.git of the worktree had been replaced, put back');
  return notes;
}

const operationFiles: readonly (readonly [file: string, operation: string])[] = [
  ['rebase-merge', 'rebase'],
  ['rebase-apply', 'rebase'],
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['BISECT_LOG', 'bisect'],
  ['BISECT_START', 'bisect'],
];

/** Name of the unfinished operation in a git folder, null when there is none. */
export async function unfinishedOperation(gitDir: string): Promise<string | null> {
  const found = operationFiles.find(([file]) => exists(path.join(gitDir, file)));
  return found?.[1] ?? null;
}

/** Ends it where it stands: files stay as they are. */
export async function forgetOperation(gitDir: string): Promise<void> {
  const others = [
    'MERGE_MODE',
    'MERGE_MSG',
    'MERGE_RR',
    'AUTO_MERGE',
    'SQUASH_MSG',
    'REBASE_HEAD',
    'sequencer',
  ];
  const bisect = ['BISECT_NAMES', 'BISECT_TERMS', 'BISECT_EXPECTED_REV', 'BISECT_ANCESTORS_OK'];
  const names = [...operationFiles.map(([file]) => file), ...others, ...bisect];
  await Promise.all(
    names.map((name) => rm(path.join(gitDir, name), { recursive: true, force: true })),
  );
}

/**
 * Ends it as if it had never begun: files go back to what they were before. Work that git had set aside for it is put back
 * by `bringBackAutostash`.
 */
export async function abortOperation(
  checkout: LoopCheckout,
  operation: string,
  signal: AbortSignal,
): Promise<void> {
  const { repository, at } = checkout;
  await setAsideAutostash(checkout);
  const args = operation === 'bisect' ? ['bisect', 'reset', 'HEAD'] : [operation, '--abort'];
  await repository.run({ at, args, signal });
  // What git could not abort (its state files are damaged) ends where it stands.
  await forgetOperation(at.gitDir);
}

async function removeLocks({ at, branch, loopId }: LoopCheckout): Promise<string[]> {
  const locks = [
    path.join(at.gitDir, 'index.lock'),
    path.join(at.gitDir, 'HEAD.lock'),
    path.join(at.commonDir, 'refs', 'heads', `${branch}.lock`),
    path.join(at.commonDir, `${keepRef(loopId)}.lock`),
  ];
  const removed: string[] = [];
  for (const lock of locks) {
    if (!exists(lock)) continue;
    await rm(lock, { recursive: true, force: true });
    removed.push(path.basename(lock));
  }
  return removed;
}

/** git finds refs by this file even where `GIT_COMMON_DIR` says otherwise. */
async function mendCommonDirFile({ at }: LoopCheckout): Promise<boolean> {
  const file = path.join(at.gitDir, 'commondir');
  const text = smallText(file) ?? '';
  if (text !== '' && path.resolve(at.gitDir, text.trim()) === at.commonDir) return false;
  await replaceSynced(file, commonDirText);
  return true;
}

/** The engine does not follow this file, but the next agent will. */
async function mendGitFile({ at, workTree, folder }: LoopCheckout): Promise<boolean> {
  const file = path.join(workTree, '.git');
  if (isLinkedTo(workTree, at.gitDir)) return false;
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) await moveAside(file, folder);
  await linkFolder(workTree, at.gitDir);
  return true;
}

/** A repository the agent made in place of ours may hold its work: it is kept in the git folder. */
async function moveAside(gitFolder: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const target = path.join(folder, 'replaced-git');
  await rm(target, { recursive: true, force: true });
  await rename(gitFolder, target);
}

/** Asked many times an iteration, so at once; what cannot be looked at is not there for git either. */
function exists(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

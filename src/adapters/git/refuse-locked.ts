import { rm } from 'node:fs/promises';
import path from 'node:path';
import { LoopwrightError } from '../../core/error.ts';
import { smallText } from '../files/small-file.ts';
import type { Checkout } from './git.ts';
import { isFreeSoon } from './lock-files.ts';

/**
 * Refuses to begin where a ref, or the index or HEAD of a checkout of the user's is locked. A lock is somebody's command at work,
 * or was left by one that died; either way it is not ours to remove.
 */
export async function refuseLocked(
  commonDir: string,
  ref: string,
  checkouts: readonly Checkout[],
  signal: AbortSignal,
): Promise<void> {
  const own = checkouts.flatMap(({ gitDir }) =>
    ['index.lock', 'HEAD.lock'].map((name) => path.join(gitDir, name)),
  );
  await refuse([path.join(commonDir, `${ref}.lock`), ...own], signal);
}

/**
 * Removes the lock of a branch that a move of the engine's own was cut short with: a ref's lock holds the commit that it is to
 * name, and that one was recorded before. The disk has the lock from the moment its content is synced, so a power cut keeps it.
 */
export async function removeOwnLock(
  commonDir: string,
  ref: string,
  to: string,
  signal: AbortSignal,
): Promise<void> {
  const lock = path.join(commonDir, `${ref}.lock`);
  if (smallText(lock)?.trim() !== to || (await isFreeSoon(lock, signal))) return;
  if (smallText(lock)?.trim() === to) await rm(lock, { force: true });
}

/** The same for deleting a ref, which may have to be taken out of the packed ones. */
export async function refuseLockedDeletion(
  commonDir: string,
  refs: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const locks = ['packed-refs.lock', ...refs.map((ref) => `${ref}.lock`)];
  await refuse(
    locks.map((name) => path.join(commonDir, name)),
    signal,
  );
}

async function refuse(locks: readonly string[], signal: AbortSignal): Promise<void> {
  for (const lock of locks) {
    if (await isFreeSoon(lock, signal)) continue;
    throw new LoopwrightError('git.locked', `another git command is at work: ${lock} exists`, {
      hint: `wait for it and try again; if no git runs any more, delete it: \`rm ${lock}\``,
    });
  }
}

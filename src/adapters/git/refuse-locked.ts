import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { LoopwrightError } from '../../core/error.ts';
import type { Checkout } from './git.ts';

/**
 * Refuses to begin where a ref or the index of a checkout of the user's is locked. A lock is somebody's command at work,
 * or was left by one that died; either way it is not ours to remove.
 */
export async function refuseLocked(
  commonDir: string,
  ref: string,
  checkouts: readonly Checkout[],
  signal: AbortSignal,
): Promise<void> {
  const indexes = checkouts.map(({ gitDir }) => path.join(gitDir, 'index.lock'));
  for (const lock of [path.join(commonDir, `${ref}.lock`), ...indexes]) {
    if (await isFreeSoon(lock, signal)) continue;
    throw new LoopwrightError('git.locked', `another git command is at work: ${lock} exists`, {
      hint: 'wait for it and try again; if no git runs any more, delete that file yourself',
    });
  }
}

/** Most commands hold a lock for a moment only. */
async function isFreeSoon(lock: string, signal: AbortSignal): Promise<boolean> {
  for (let look = 1; look <= 10; look++) {
    if ((await lstat(lock).catch(() => null)) === null) return true;
    await setTimeout(100, undefined, { signal });
  }
  return false;
}

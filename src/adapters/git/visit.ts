import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { syncToDisk } from '../files/sync-to-disk.ts';
import { writeOwnFile } from '../files/own-file.ts';
import type { LoopCheckout } from './loop-checkout.ts';
import { replaceFile } from './private-index.ts';
import { requireHead } from './rebase.ts';
import { resolveCommit } from './repository.ts';

/**
 * Shows another commit in a loop's worktree without moving its branch: HEAD is detached there, and a note says so. The
 * branch holds the loop's own work at every moment; whoever opens the worktree after a kill brings it back first.
 */
export async function beginVisit(
  checkout: LoopCheckout,
  commit: string,
  signal: AbortSignal,
): Promise<void> {
  const { repository, at, index } = checkout;
  const head = await requireHead(checkout, signal);
  const env = { GIT_INDEX_FILE: index.file };
  await index.snapshot(signal);
  await rm(noteFile(checkout), { recursive: true, force: true });
  writeOwnFile(noteFile(checkout), `${head} ${commit}\n`);
  syncToDisk(noteFile(checkout));
  syncToDisk(checkout.folder);
  const detach = ['update-ref', '--no-deref', '-m', 'loopwright: check a merge', 'HEAD', commit];
  await repository.output({ at, args: detach, signal });
  const gently = ['read-tree', '-m', '-u', head, commit];
  const moved = await repository.run({ at, env, args: gently, signal });
  if (moved.exitCode !== 0) {
    // What checks left in the way is not work: it gives way, and they make it again.
    const firmly = ['read-tree', '--reset', '-u', commit];
    await repository.output({ at, env, args: firmly, signal });
  }
  index.changed();
  await replaceFile(index.file, path.join(at.gitDir, 'index'));
}

/** Files and HEAD go back to the branch. False when nothing was visited. */
export async function endVisit(checkout: LoopCheckout, signal: AbortSignal): Promise<boolean> {
  const note = await readFile(noteFile(checkout), 'utf8').catch(() => null);
  if (note === null) return false;
  const { repository, at, index, branch } = checkout;
  const ref = `refs/heads/${branch}`;
  const attach = ['symbolic-ref', '-m', 'loopwright: checked a merge', 'HEAD', ref];
  await repository.output({ at, args: attach, signal });
  // A branch that is gone is made again by whoever commits next.
  if ((await resolveCommit(repository, ref, signal)) !== null) {
    const env = { GIT_INDEX_FILE: index.file };
    await rm(`${index.file}.lock`, { force: true });
    await repository.output({ at, env, args: ['read-tree', '--reset', '-u', 'HEAD'], signal });
    index.changed();
    await replaceFile(index.file, path.join(at.gitDir, 'index'));
  }
  await rm(noteFile(checkout), { force: true });
  return true;
}

function noteFile({ folder }: LoopCheckout): string {
  return path.join(folder, 'visiting');
}

import { open } from 'node:fs/promises';
import { syncFiles } from './disk-sync.ts';
import type { LoopCheckout } from './loop-checkout.ts';
import { filePath } from './path-bytes.ts';
import { restorePaths } from './restore.ts';
import { diffTrees } from './tree-diff.ts';

/** A file larger than this is not looked into. */
const largest = 64 * 1024 * 1024;

/**
 * What a power cut leaves of a file that was being written: nothing, or text that ends in zeros where the disk did not get the
 * rest. Those that `from` has are put back to it; of new ones the text stays and the zeros go. Files of finished iterations
 * are on the disk, so this concerns only what an interrupted one wrote. Answers the paths.
 */
export async function restoreTornFiles(
  checkout: LoopCheckout,
  from: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (checkout.mode !== 'worktree') return [];
  const { repository, workTree, index } = checkout;
  const now = await index.snapshot(signal);
  const { entries } = await diffTrees(repository, from, now, signal);
  const lost: string[] = [];
  const cut: string[] = [];
  for (const { path: name, status, newMode } of entries) {
    if (!newMode.startsWith('100')) continue;
    const kept = await keptLength(filePath(workTree, name));
    if (kept === null) continue;
    if (status === 'M') lost.push(name);
    else if (kept > 0 && (await trim(filePath(workTree, name), kept))) cut.push(name);
  }
  if (lost.length > 0) await restorePaths(checkout, from, lost, signal);
  await syncFiles(workTree, [...lost, ...cut]);
  return [...lost, ...cut].toSorted();
}

/** How much of a torn file is there; null when it is whole. A file that has zeros in other places is not text. */
async function keptLength(file: string | Buffer): Promise<number | null> {
  await using handle = await open(file, 'r').catch(() => null);
  if (handle === null) return null;
  const { size } = await handle.stat();
  if (size === 0) return 0;
  if (size > largest) return null;
  const { buffer: last } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  if (last[0] !== 0) return null;
  const content = await handle.readFile();
  const end = content.indexOf(0);
  return content.subarray(end).every((byte) => byte === 0) ? end : null;
}

async function trim(file: string | Buffer, length: number): Promise<boolean> {
  await using handle = await open(file, 'r+').catch(() => null);
  await handle?.truncate(length);
  return handle !== null;
}

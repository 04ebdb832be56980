import { lstat, mkdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { isLoopwrightError } from '../../core/error.ts';
import { keepRef } from './loop-checkout.ts';
import type { LoopCheckout } from './loop-checkout.ts';
import { mendWorktree } from './mend.ts';
import { resolveCommit } from './repository.ts';

/**
 * Puts right what made a git command fail in a loop's own worktree, as far as it is known how. Answers what was done, in
 * plain words; nothing done means there is no point in trying again. Called only when no agent runs.
 */
export async function heal(
  checkout: LoopCheckout,
  error: unknown,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (checkout.mode !== 'worktree' || !isLoopwrightError(error)) return [];
  if (error.code !== 'git.failed') return [];
  const stderr = error.details['stderr'];
  const moved = typeof stderr === 'string' ? await quarantine(checkout, stderr) : [];
  const notes = await mendWorktree(checkout);
  // Files that are still here give back the objects that were lost with them.
  if (moved.length > 0) await checkout.index.rebuild(signal);
  return [...notes, ...moved.map((name) => `damaged or empty object moved away: ${name}`)];
}

/**
 * A snapshot that nothing refers to any more can be pruned by the agent. The last commit that is left stands in for it;
 * the snapshot itself when it can be read.
 */
export async function standInFor(
  { repository, loopId, branch, base }: LoopCheckout,
  tree: string,
  signal: AbortSignal,
): Promise<string> {
  const readable = await repository.run({ args: ['cat-file', '-e', `${tree}^{tree}`], signal });
  if (readable.exitCode === 0) return tree;
  for (const name of [keepRef(loopId), `refs/heads/${branch}`, base]) {
    const commit = name === null ? null : await resolveCommit(repository, name, signal);
    if (commit !== null) return commit;
  }
  return tree;
}

/** Moves loose objects that git named as empty or corrupt out of the store: otherwise it takes them for present. */
async function quarantine({ at, folder }: LoopCheckout, stderr: string): Promise<string[]> {
  const objects = path.join(at.commonDir, 'objects');
  const moved: string[] = [];
  for (const file of new Set(stderr.split('\n').flatMap(namedFile))) {
    const name = path.relative(objects, path.resolve(at.gitDir, file));
    if (!/^[0-9a-f]{2}\/(?:[0-9a-f]{38}|[0-9a-f]{62})$/.test(name)) continue;
    const found = await lstat(path.join(objects, name)).catch(() => null);
    if (found?.isFile() !== true) continue;
    const target = path.join(folder, 'damaged-objects');
    await mkdir(target, { recursive: true });
    await rename(path.join(objects, name), path.join(target, name.replace('/', '')));
    moved.push(name.replace('/', ''));
  }
  return moved;
}

/** `object file PATH is empty` and `loose object ID (stored in PATH) is corrupt`. */
function namedFile(line: string): string[] {
  const empty = between(line, 'object file ', ' is empty');
  const corrupt = between(line, '(stored in ', ') is corrupt');
  return [empty, corrupt].filter((file) => file !== null);
}

function between(line: string, before: string, after: string): string | null {
  const start = line.indexOf(before);
  const end = line.lastIndexOf(after);
  return start === -1 || end < start + before.length
    ? null
    : line.slice(start + before.length, end);
}

import { lstat, mkdir, readlink, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { LoopwrightError } from '../../core/error.ts';
import { isInside } from '../files/relocation.ts';
import { makePrivateCopy } from '../files/private-copy.ts';

/**
 * Gives a folder its own copies of ignored paths of a project: `root` is the user's checkout, or a worktree whose files are to be
 * taken over with what was changed in them. `folder` can be any folder; deleting it removes the copies. What is tracked there
 * under such a name stays. Answers the paths that do not exist or cannot be read.
 */
export async function bringFiles(
  root: string,
  folder: string,
  { copy, link }: { readonly copy: readonly string[]; readonly link: readonly string[] },
  signal: AbortSignal,
): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const entry of [...copy, ...link])
    missing.push(...(await bring(root, folder, entry, signal)));
  return missing;
}

/** Worktrees of older versions have links into the user's checkout: each becomes a copy. Answers their names. */
export async function replaceLinks(
  root: string,
  folder: string,
  link: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const replaced: string[] = [];
  for (const entry of link) {
    const file = path.join(folder, entry);
    const target = await readlink(file).catch(() => null);
    if (target !== path.join(root, entry)) continue;
    await makePrivateCopy(path.normalize(entry), { from: root, to: folder }, signal);
    replaced.push(entry);
  }
  return replaced;
}

async function bring(
  root: string,
  folder: string,
  entry: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  requireRelative(entry);
  const from = await stat(path.join(root, entry)).catch(() => null);
  if (from === null || !(from.isDirectory() || from.isFile())) return [entry];
  const to = path.join(folder, entry);
  if ((await lstat(to).catch(() => null)) !== null) return [];
  await makeParent(folder, to);
  return makePrivateCopy(path.normalize(entry), { from: root, to: folder }, signal);
}

function requireRelative(entry: string): void {
  const steps = path.normalize(entry).split('/');
  if (
    !path.isAbsolute(entry) &&
    !steps.includes('..') &&
    !steps.includes('.git') &&
    steps[0] !== '.'
  )
    return;
  throw new LoopwrightError('workspace.bad_path', `${entry} is not a path inside the project`, {
    hint: 'workspace.copy and workspace.link take paths relative to the project root.',
  });
}

/** A tracked symbolic link on the way could lead out of the worktree. */
async function makeParent(folder: string, target: string): Promise<void> {
  const parent = path.dirname(target);
  let existing = parent;
  while ((await lstat(existing).catch(() => null)) === null) existing = path.dirname(existing);
  if (!isInside(await realpath(existing), await realpath(folder))) {
    throw new LoopwrightError('workspace.bad_path', `${parent} leads out of the worktree`);
  }
  await mkdir(parent, { recursive: true });
}

import { cp, lstat, mkdir, realpath, symlink } from 'node:fs/promises';
import path from 'node:path';
import { LoopwrightError } from '../../core/error.ts';

/** Copies and links ignored paths of the user's checkout into a new worktree. Answers those that do not exist. */
export async function bringFiles(
  root: string,
  workTree: string,
  spec: { readonly copy: readonly string[]; readonly link: readonly string[] },
): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const entry of spec.copy) {
    if (!(await bring(root, workTree, entry, copyTree))) missing.push(entry);
  }
  for (const entry of spec.link) {
    if (!(await bring(root, workTree, entry, (from, to) => symlink(from, to)))) missing.push(entry);
  }
  return missing;
}

/** What the worktree has already (a tracked file of that name) wins. */
async function bring(
  root: string,
  workTree: string,
  entry: string,
  act: (from: string, to: string) => Promise<void>,
): Promise<boolean> {
  requireRelative(entry);
  const from = path.join(root, entry);
  const to = path.join(workTree, entry);
  if ((await lstat(from).catch(() => null)) === null) return false;
  if ((await lstat(to).catch(() => null)) !== null) return true;
  await makeParent(workTree, to);
  await act(from, to);
  return true;
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
async function makeParent(workTree: string, target: string): Promise<void> {
  const parent = path.dirname(target);
  let existing = parent;
  while ((await lstat(existing).catch(() => null)) === null) existing = path.dirname(existing);
  const real = await realpath(existing);
  if (real !== workTree && !real.startsWith(`${workTree}/`)) {
    throw new LoopwrightError('workspace.bad_path', `${parent} leads out of the worktree`);
  }
  await mkdir(parent, { recursive: true });
}

async function copyTree(from: string, to: string): Promise<void> {
  await cp(from, to, {
    recursive: true,
    verbatimSymlinks: true,
    preserveTimestamps: true,
    filter: async (source) => {
      const found = await lstat(source);
      return found.isFile() || found.isDirectory() || found.isSymbolicLink();
    },
  });
}

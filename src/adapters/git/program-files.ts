import { createHash } from 'node:crypto';
import { lstat, readdir, readFile, readlink, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Repository } from './repository.ts';
import { listLinkedCheckouts } from './worktree.ts';

const largestRead = 1024 * 1024;
const mostEntries = 2000;
const deepestFolder = 4;

/**
 * Digests of every file by which the repository or the user's own settings can make git run a program or hide a file:
 * configuration, hooks, info files, alternates. The engine's own git commands obey none of them; the user's will.
 */
export async function digestPrograms(repository: Repository): Promise<Map<string, string>> {
  const { commonDir, workTree } = repository.main;
  const found = new Map<string, string>();
  const add = async (name: string, file: string) => {
    const digest = await digestFile(file);
    if (digest !== null) found.set(name, digest);
  };
  const addFolder = async (name: string, folder: string) => {
    for (const inner of await listFiles(folder, deepestFolder)) {
      if (isProgram(inner)) await add(`${name}/${inner}`, path.join(folder, inner));
    }
  };

  for (const name of ['config', 'config.worktree', 'objects/info/alternates']) {
    await add(`.git/${name}`, path.join(commonDir, name));
  }
  await addFolder('.git/hooks', path.join(commonDir, 'hooks'));
  await addFolder('.git/info', path.join(commonDir, 'info'));
  for (const { gitDir } of await listLinkedCheckouts(commonDir)) {
    const name = `.git/worktrees/${path.basename(gitDir)}/config.worktree`;
    await add(name, path.join(gitDir, 'config.worktree'));
  }
  for (const module of await listModules(path.join(commonDir, 'modules'), deepestFolder)) {
    const folder = path.join(commonDir, 'modules', module);
    await add(`.git/modules/${module}/config`, path.join(folder, 'config'));
    await addFolder(`.git/modules/${module}/hooks`, path.join(folder, 'hooks'));
  }
  if (workTree !== null) await addGitFile(workTree, add);
  for (const file of repository.user.configFiles) await add(file, file);
  const { hooksFolder } = repository.user;
  if (hooksFolder !== null) {
    await addFolder(hooksFolder, path.resolve(workTree ?? commonDir, hooksFolder));
  }
  return found;
}

/** Content and mode of a file, or where a link leads and what is there; null when absent. Never opens a pipe or device. */
export async function digestFile(file: string | Buffer): Promise<string | null> {
  const found = await lstat(file).catch(() => null);
  if (found === null) return null;
  if (found.isDirectory()) return 'folder';
  const link = found.isSymbolicLink() ? await readlink(file, 'buffer').catch(() => '') : '';
  const target = found.isSymbolicLink() ? await stat(file).catch(() => null) : found;
  if (target?.isFile() !== true) return digestOf(`${found.mode}`, link, '');
  const content =
    target.size <= largestRead
      ? await readFile(file).catch(() => `unreadable ${target.size} ${target.ctimeMs}`)
      : `large ${target.size} ${target.mtimeMs} ${target.ctimeMs}`;
  return digestOf(`${target.mode}`, link, content);
}

function digestOf(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex').slice(0, 32);
}

/** `info/refs` is a list that git's own housekeeping writes; samples of hooks never run. */
function isProgram(name: string): boolean {
  return !name.endsWith('.sample') && name !== 'refs';
}

/** A checkout that is itself a linked worktree has a file there. */
async function addGitFile(
  workTree: string,
  add: (name: string, file: string) => Promise<void>,
): Promise<void> {
  const file = path.join(workTree, '.git');
  const found = await lstat(file).catch(() => null);
  if (found !== null && !found.isDirectory()) await add('.git', file);
}

/** Files below a folder, as paths relative to it. */
async function listFiles(folder: string, depth: number): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const names: string[] = [];
  for (const entry of entries.slice(0, mostEntries)) {
    if (!entry.isDirectory()) names.push(entry.name);
    else if (depth > 1) {
      const inner = await listFiles(path.join(folder, entry.name), depth - 1);
      names.push(...inner.map((name) => `${entry.name}/${name}`));
    }
  }
  return names.slice(0, mostEntries);
}

/** Git folders of submodules: those below `modules` that hold a HEAD. Their names may hold slashes. */
async function listModules(folder: string, depth: number): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const names: string[] = [];
  for (const entry of entries.slice(0, mostEntries)) {
    if (!entry.isDirectory()) continue;
    const inner = path.join(folder, entry.name);
    if ((await lstat(path.join(inner, 'HEAD')).catch(() => null)) !== null) names.push(entry.name);
    else if (depth > 1) {
      names.push(...(await listModules(inner, depth - 1)).map((name) => `${entry.name}/${name}`));
    }
  }
  return names;
}

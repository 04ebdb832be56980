import { createHash } from 'node:crypto';
import {
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  type Dirent,
  type Stats,
} from 'node:fs';
import path from 'node:path';
import type { Repository } from './repository.ts';

const largestRead = 1024 * 1024;
const mostEntries = 2000;
const deepestFolder = 4;

/**
 * Digests of every file by which the repository or the user's own settings can make git run a program or hide a file:
 * configuration, hooks, info files, alternates. The engine's own git commands obey none of them; the user's will.
 * Reads at once: these are a handful of small files, and this happens twice in every iteration.
 */
export function digestPrograms(repository: Repository): Map<string, string> {
  const { commonDir, workTree } = repository.main;
  const found = new Map<string, string>();
  const add = (name: string, file: string): void => {
    const digest = digestFile(file);
    if (digest !== null) found.set(name, digest);
  };
  const addFolder = (name: string, folder: string): void => {
    for (const inner of listFiles(folder, deepestFolder)) {
      if (isProgram(inner)) add(`${name}/${inner}`, path.join(folder, inner));
    }
  };

  for (const name of ['config', 'config.worktree', 'objects/info/alternates']) {
    add(`.git/${name}`, path.join(commonDir, name));
  }
  addFolder('.git/hooks', path.join(commonDir, 'hooks'));
  addFolder('.git/info', path.join(commonDir, 'info'));
  for (const linked of entriesOf(path.join(commonDir, 'worktrees'))) {
    const file = `worktrees/${linked.name}/config.worktree`;
    add(`.git/${file}`, path.join(commonDir, file));
  }
  for (const module of listModules(path.join(commonDir, 'modules'), deepestFolder)) {
    const folder = path.join(commonDir, 'modules', module);
    add(`.git/modules/${module}/config`, path.join(folder, 'config'));
    addFolder(`.git/modules/${module}/hooks`, path.join(folder, 'hooks'));
  }
  if (workTree !== null) addGitFile(workTree, add);
  for (const file of repository.user.configFiles) add(file, file);
  const { hooksFolder } = repository.user;
  if (hooksFolder !== null) {
    addFolder(hooksFolder, path.resolve(workTree ?? commonDir, hooksFolder));
  }
  return found;
}

/** Content and mode of a file, or where a link leads and what is there; null when absent. Never opens a pipe or device. */
export function digestFile(file: string | Buffer): string | null {
  const found = lookAt(file);
  if (found === null) return null;
  if (found.isDirectory()) return 'folder';
  const link = found.isSymbolicLink() ? (tried(() => readlinkSync(file, 'buffer')) ?? '') : '';
  const target = found.isSymbolicLink() ? tried(() => statSync(file)) : found;
  if (target?.isFile() !== true) return digestOf(`${found.mode}`, link, '');
  return digestOf(`${target.mode}`, link, contentOf(file, target));
}

function contentOf(file: string | Buffer, { size, mtimeMs, ctimeMs }: Stats): string | Buffer {
  if (size > largestRead) return `large ${size} ${mtimeMs} ${ctimeMs}`;
  return tried(() => readFileSync(file)) ?? `unreadable ${size} ${ctimeMs}`;
}

/** Most of what is looked for is absent, and an error for each would take longer than the look. */
function lookAt(file: string | Buffer): Stats | null {
  return tried(() => lstatSync(file, { throwIfNoEntry: false })) ?? null;
}

/** Null when there is nothing there, or nothing that can be looked at. */
function tried<T>(look: () => T): T | null {
  try {
    return look();
  } catch {
    return null;
  }
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
function addGitFile(workTree: string, add: (name: string, file: string) => void): void {
  const file = path.join(workTree, '.git');
  const found = lookAt(file);
  if (found !== null && !found.isDirectory()) add('.git', file);
}

function entriesOf(folder: string): readonly Dirent[] {
  if (lookAt(folder) === null) return [];
  return (tried(() => readdirSync(folder, { withFileTypes: true })) ?? []).slice(0, mostEntries);
}

/** Files below a folder, as paths relative to it. */
function listFiles(folder: string, depth: number): string[] {
  const names: string[] = [];
  for (const entry of entriesOf(folder)) {
    if (!entry.isDirectory()) names.push(entry.name);
    else if (depth > 1) {
      const inner = listFiles(path.join(folder, entry.name), depth - 1);
      names.push(...inner.map((name) => `${entry.name}/${name}`));
    }
  }
  return names.slice(0, mostEntries);
}

/** Git folders of submodules: those below `modules` that hold a HEAD. Their names may hold slashes. */
function listModules(folder: string, depth: number): string[] {
  const names: string[] = [];
  for (const entry of entriesOf(folder)) {
    if (!entry.isDirectory()) continue;
    const inner = path.join(folder, entry.name);
    if (lookAt(path.join(inner, 'HEAD')) !== null) names.push(entry.name);
    else if (depth > 1) {
      names.push(...listModules(inner, depth - 1).map((name) => `${entry.name}/${name}`));
    }
  }
  return names;
}

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type {
  SurroundingChange,
  Surroundings,
  SurroundingsScope,
  WorkspaceSpec,
} from '../../ports/workspace.ts';
import { stateFolderName } from '../files/folder-state.ts';
import type { Checkout } from './git.ts';
import { unfinishedOperation } from './mend.ts';
import { filePath, splitRecords } from './path-bytes.ts';
import { digestFile, digestPrograms } from './program-files.ts';
import { readRefs } from './read-refs.ts';
import type { Repository } from './repository.ts';

/**
 * Looks at what an iteration must leave alone. Nothing is written, not even the stat data of the user's index. Two looks
 * are compared in memory, so nothing an agent can reach decides what is found.
 */
export async function lookAround(
  repository: Repository,
  scope: SurroundingsScope,
  spec: WorkspaceSpec,
  signal: AbortSignal,
): Promise<Surroundings> {
  const items = digestPrograms(repository);
  if (scope === 'programs') return { items, index: null };
  for (const [name, value] of await readRefs(repository, signal)) items.set(name, value);
  const { main } = repository;
  const head = await readFile(path.join(main.gitDir, 'HEAD'), 'utf8').catch(() => 'missing');
  items.set('HEAD of your checkout', head.trim());
  items.set('operation in your checkout', (await unfinishedOperation(main.gitDir)) ?? 'none');
  for (const [name, value] of await listDeviations(repository, spec, signal)) {
    items.set(`your checkout: ${name}`, value);
  }
  return { items, index: await readFile(path.join(main.gitDir, 'index')).catch(() => null) };
}

export async function compareAround(
  repository: Repository,
  before: Surroundings,
  after: Surroundings,
  signal: AbortSignal,
): Promise<readonly SurroundingChange[]> {
  const names = new Set([...before.items.keys(), ...after.items.keys()]);
  const changes: SurroundingChange[] = [];
  for (const name of names) {
    const [was = null, is = null] = [before.items.get(name), after.items.get(name)];
    if (was !== is) changes.push({ name, before: was, after: is });
  }
  if (await isStagedDifferently(repository, before.index, after.index, signal)) {
    changes.push({ name: 'index of your checkout', before: 'as it was', after: 'changed' });
  }
  return changes.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Files that differ from the user's index, with a digest each: deleted, modified and untracked ones, ignored left out. */
async function listDeviations(
  repository: Repository,
  spec: WorkspaceSpec,
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const { workTree } = repository.main;
  if (workTree === null) return found;
  const which = ['--modified', '--deleted', '--others', '--exclude-standard'];
  const args = ['ls-files', '-t', '-z', ...which];
  const output = await repository.output({ args, signal });
  for (const record of splitRecords(output)) {
    const name = record.slice(2);
    if (isOurs(workTree, name, spec)) continue;
    found.set(name, digestFile(filePath(workTree, name)) ?? 'deleted');
    // There may be very many of them, and other loops want their turn.
    await setImmediate();
  }
  return found;
}

/** The state folder, and worktrees that lie inside the checkout. */
function isOurs(workTree: string, name: string, spec: WorkspaceSpec): boolean {
  if (name === stateFolderName || name.startsWith(`${stateFolderName}/`)) return true;
  const folder = path.relative(workTree, path.dirname(spec.path));
  if (folder === '') return name.startsWith(`${path.basename(spec.path)}/`);
  return !folder.startsWith('..') && name.startsWith(`${folder}/`);
}

/** `git status` refreshes stat data in the index; only its entries and flags say what is staged. */
async function isStagedDifferently(
  repository: Repository,
  before: Uint8Array | null,
  after: Uint8Array | null,
  signal: AbortSignal,
): Promise<boolean> {
  if (before === null || after === null) return before !== after;
  if (Buffer.compare(before, after) === 0) return false;
  const folder = await mkdtemp(path.join(tmpdir(), 'loopwright-index-'));
  try {
    const [was, is] = [path.join(folder, 'before'), path.join(folder, 'after')];
    await writeFile(was, before);
    await writeFile(is, after);
    const entries = await listEntries(repository, repository.main, was, signal);
    const now = await listEntries(repository, repository.main, is, signal);
    return entries === null || now === null || !entries.equals(now);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Null when the index cannot be read. `-v` shows flags that hide changes. */
async function listEntries(
  repository: Repository,
  at: Checkout,
  index: string,
  signal: AbortSignal,
): Promise<Buffer | null> {
  const args = ['ls-files', '-v', '--stage', '-z'];
  const result = await repository.run({ at, env: { GIT_INDEX_FILE: index }, args, signal });
  return result.exitCode === 0 ? result.stdout : null;
}

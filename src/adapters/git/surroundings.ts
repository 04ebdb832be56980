import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import {
  absentIndex,
  damagedIndex,
  logOf,
  logPrefix,
  userIndex,
} from '../../core/loop/surroundings.ts';
import type {
  SurroundingChange,
  Surroundings,
  SurroundingsScope,
  WorkspaceSpec,
} from '../../ports/workspace.ts';
import { stateFolderName } from '../files/folder-state.ts';
import { listLocks } from './lock-files.ts';
import { unfinishedOperation } from './mend.ts';
import { filePath, splitRecords } from './path-bytes.ts';
import { digestFile, digestPrograms } from './program-files.ts';
import { listLogged, readRefs } from './read-refs.ts';
import type { Repository } from './repository.ts';

/** Looks at what an iteration must leave alone. Nothing is written, not even the stat data of the user's index. */
export async function lookAround(
  repository: Repository,
  indexDigest: () => string,
  scope: SurroundingsScope,
  spec: WorkspaceSpec,
  signal: AbortSignal,
): Promise<Surroundings> {
  const items = digestPrograms(repository);
  if (scope === 'programs') return { scope, items };
  for (const [name, value] of await readRefs(repository, signal)) items.set(name, value);
  const { main } = repository;
  const head = await readFile(path.join(main.gitDir, 'HEAD'), 'utf8').catch(() => 'missing');
  items.set('HEAD of your checkout', head.trim());
  items.set('operation in your checkout', (await unfinishedOperation(main.gitDir)) ?? 'none');
  items.set(userIndex, indexDigest());
  for (const [name, value] of besideRefs(repository)) items.set(name, value);
  for (const name of listLogged(main.commonDir)) items.set(logOf(name), 'kept');
  if (scope === 'repository') return { scope, items };
  for (const name of ['logs', 'logs/HEAD']) {
    if (existsSync(path.join(main.commonDir, name))) items.set(`.git/${name}`, 'there');
  }
  for (const [name, value] of await listDeviations(repository, spec, signal)) {
    items.set(`${checkoutPrefix}${name}`, value);
  }
  return { scope, items };
}

/** Where history is cut off, and locks: whoever leaves one stops the user's own git. */
function besideRefs({ main }: Repository): Map<string, string> {
  const found = new Map<string, string>();
  const shallow = digestFile(path.join(main.commonDir, 'shallow'));
  if (shallow !== null) found.set('.git/shallow', shallow);
  const folders = new Set([main.commonDir, main.gitDir]);
  for (const file of [...folders].flatMap((folder) => listLocks(folder))) {
    found.set(`.git/${path.relative(main.commonDir, file)}`, 'locked');
  }
  return found;
}

export function compareAround(
  before: Surroundings,
  after: Surroundings,
): readonly SurroundingChange[] {
  const names = new Set([...before.items.keys(), ...after.items.keys()]);
  const changes: SurroundingChange[] = [];
  // Without an index every file looks like a new one.
  const isComparable = hasIndex(before) === hasIndex(after);
  for (const name of names) {
    const [was = null, is = null] = [before.items.get(name), after.items.get(name)];
    // What a record is worth is looked at where a branch has moved.
    if (name.startsWith(logPrefix)) continue;
    if (was === is || (name.startsWith(checkoutPrefix) && !isComparable)) continue;
    // Whoever held a lock has let it go.
    if (name.endsWith('.lock') && is === null) continue;
    changes.push({ name, before: was, after: is });
  }
  return changes.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

const checkoutPrefix = 'your checkout: ';

function hasIndex({ items }: Surroundings): boolean {
  const index = items.get(userIndex) ?? absentIndex;
  return index !== absentIndex && !index.startsWith(damagedIndex);
}

/** Whether the user has staged exactly what is in a commit. */
export async function isStaged(
  repository: Repository,
  commit: string,
  signal: AbortSignal,
): Promise<boolean> {
  const args = ['diff-index', '--cached', '--quiet', '--no-ext-diff', commit, '--'];
  return (await repository.run({ args, signal })).exitCode === 0;
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

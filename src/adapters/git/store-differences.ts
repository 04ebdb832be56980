import { access, constants, lstat } from 'node:fs/promises';
import { isLoopwrightError } from '../../core/error.ts';
import { filteredFiles } from './content-filters.ts';
import { gitFailed } from './git.ts';
import {
  isLeftOut,
  listDifferences,
  type Differences,
  type Place,
  type Unstored,
} from './list-differences.ts';
import { listNestedFiles } from './nested-repository.ts';
import { filePath, joinRecords } from './path-bytes.ts';

/** Files that the index cannot hold, and its tree where that was written as well. */
export type Stored = { readonly unstored: readonly Unstored[]; readonly tree: string | null };

/**
 * Brings the differences into the engine's index, and says which of them it cannot hold. Carefully: what cannot be read or
 * converted is passed over; else it is an error.
 */
export async function storeDifferences(
  place: Place,
  { tracked, untracked, nested, closed }: Differences,
  careful: boolean,
  signal: AbortSignal,
): Promise<Stored> {
  const inside = await listNestedFiles(place, nested, signal);
  const added = [...untracked, ...inside].filter((name) => !isLeftOut(name, place.leftOut));
  const replacing = new Set(added);
  const remaining = tracked.filter(
    (name) => !parents(name).some((folder) => replacing.has(folder)),
  );
  const { beyond, reachable } = await sortByReach(place.workTree, remaining);
  if (beyond.length > 0) await updateIndex(place, ['--force-remove'], beyond, signal);
  // Tracked ones first: a file that became a folder must leave before what is in the folder comes.
  const all = [...reachable, ...added];
  const filtered = await filteredFiles(place.repository, place.at, all, signal);
  const names = filtered.size === 0 ? all : await withoutFiltered(place, all, filtered);
  const kept = new Set(names);
  const left = all.filter((name) => !kept.has(name));
  const readable = careful ? await filterReadable(place.workTree, names) : names;
  const taken = new Set(readable);
  const unread = names.filter((name) => !taken.has(name));
  const stored = careful
    ? { unstored: await addOneByOne(place, readable, signal), tree: null }
    : await add(place, readable, signal);
  const unstored = [
    ...closed,
    ...left.map((name) => filterNote(name, filtered)),
    ...unread.map((name) => ({ name, why: 'cannot be read' })),
    ...stored.unstored,
  ];
  return { unstored, tree: stored.tree };
}

/** A filter would store something else than what is there; a file that was deleted needs none. */
async function withoutFiltered(
  { workTree }: Place,
  names: readonly string[],
  filtered: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  const kept: string[] = [];
  for (const name of names) {
    const isGone = (await lstat(filePath(workTree, name)).catch(() => null)) === null;
    if (isGone || !filtered.has(name)) kept.push(name);
  }
  return kept;
}

function filterNote(name: string, filtered: ReadonlyMap<string, string>): Unstored {
  const filter = filtered.get(name) ?? 'unknown';
  return { name, why: `goes through the content filter ${filter}, which is never run here` };
}

/** git passes over names it keeps for itself (`.GIT`, `git~1`, a `.gitmodules` that is a link), and only mentions it. */
async function add(place: Place, names: readonly string[], signal: AbortSignal): Promise<Stored> {
  if (names.length === 0) return { unstored: [], tree: null };
  const how = ['--add', '--remove', '--replace'];
  const { stderr, tree } = await updateIndex(place, how, names, signal);
  if (!stderr.includes('Ignoring path ')) return { unstored: [], tree };
  const { untracked } = await listDifferences(place, signal);
  const wanted = new Set(names);
  const unstored = untracked
    .filter((name) => wanted.has(name))
    .map((name) => ({ name, why: 'has a name that git does not store' }));
  return { unstored, tree };
}

/** How many processes may be spent on finding the files that make git fail. */
const mostTries = 200;

/** The same, without those that make git fail: halves of halves, until each of them stands alone. */
async function addOneByOne(
  place: Place,
  names: readonly string[],
  signal: AbortSignal,
): Promise<readonly Unstored[]> {
  const unstored: Unstored[] = [];
  const queue: (readonly string[])[] = [names];
  let tries = 0;
  let firstFailure: unknown = null;
  for (let some = queue.pop(); some !== undefined; some = queue.pop()) {
    try {
      tries += 1;
      unstored.push(...(await add(place, some, signal)).unstored);
    } catch (error) {
      signal.throwIfAborted();
      firstFailure ??= error;
      // Only what git says of a file's content is about that file.
      if (!isAboutContent(error)) throw firstFailure;
      if (some.length === 1 || tries >= mostTries) {
        unstored.push(...some.map((name) => ({ name, why: notConverted })));
        continue;
      }
      const middle = Math.ceil(some.length / 2);
      queue.push(some.slice(middle), some.slice(0, middle));
    }
  }
  return unstored;
}

const notConverted = 'cannot be converted as its attributes ask (working-tree-encoding)';

function isAboutContent(error: unknown): boolean {
  if (!isLoopwrightError(error) || error.code !== 'git.failed') return false;
  return ['failed to encode', 'BOM is', 'encoding'].some((words) => error.message.includes(words));
}

/** So many objects at once are synced faster by git, which writes them out before it waits for the disk. */
const many = 64;
const syncedInBulk = [
  ['core.fsync', 'loose-object,reference'],
  ['core.fsyncMethod', 'batch'],
] as const;

async function updateIndex(
  place: Place,
  how: readonly string[],
  names: readonly string[],
  signal: AbortSignal,
): Promise<{ readonly stderr: string; readonly tree: string }> {
  const env = { GIT_INDEX_FILE: place.file };
  const args = ['update-index', ...how, '-z', '--stdin'];
  const input = joinRecords(names);
  const then = { args: ['write-tree'] };
  const repository = names.length > many ? place.repository.with(syncedInBulk) : place.repository;
  const result = await repository.run({ at: place.at, env, args, input, then, signal });
  if (result.exitCode !== 0) throw gitFailed(args, result);
  return { stderr: result.stderr, tree: result.stdout.toString('utf8').trim() };
}

/** git refuses to look at paths behind a symbolic link; to the snapshot they are deleted. */
async function sortByReach(workTree: string, names: readonly string[]) {
  const links = new Map<string, boolean>();
  const isLink = async (folder: string) => {
    const known = links.get(folder);
    if (known !== undefined) return known;
    const found = await lstat(filePath(workTree, folder)).catch(() => null);
    links.set(folder, found?.isSymbolicLink() === true);
    return links.get(folder) === true;
  };
  const beyond: string[] = [];
  const reachable: string[] = [];
  for (const name of names) {
    const checks = await Promise.all(parents(name).map(isLink));
    (checks.includes(true) ? beyond : reachable).push(name);
  }
  return { beyond, reachable };
}

async function filterReadable(workTree: string, names: readonly string[]): Promise<string[]> {
  const kept: string[] = [];
  for (const name of names) {
    const file = filePath(workTree, name);
    const found = await lstat(file).catch(() => null);
    const readable = found?.isFile() !== true || (await canRead(file));
    if (readable) kept.push(name);
  }
  return kept;
}

async function canRead(file: string | Buffer): Promise<boolean> {
  return access(file, constants.R_OK).then(
    () => true,
    () => false,
  );
}

/** `a/b/c` → `a`, `a/b`. */
function parents(name: string): string[] {
  const folders: string[] = [];
  for (let end = name.indexOf('/'); end !== -1; end = name.indexOf('/', end + 1)) {
    folders.push(name.slice(0, end));
  }
  return folders;
}

import { access, constants, copyFile, lstat, mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { stateFolderName } from '../files/folder-state.ts';
import type { Checkout } from './git.ts';
import { listNestedFiles } from './nested-repository.ts';
import { filePath, joinRecords, splitRecords } from './path-bytes.ts';
import type { Repository } from './repository.ts';

/**
 * The engine's own view of a checkout: an index file beside the one the agent uses. It is seeded once, before any agent
 * has run, and afterwards only the engine writes it. So the flags an agent can set in its own index (assume-unchanged,
 * skip-worktree) hide nothing, and the agent's staging area is never disturbed.
 */
export type PrivateIndex = {
  readonly file: string;
  /** Tree of all files as they are now: one process when nothing differs from last time, three otherwise. */
  snapshot(signal: AbortSignal): Promise<string>;
  /** Takes the files to be those of a commit or tree, as far as the index goes. */
  reset(treeish: string, signal: AbortSignal): Promise<void>;
  /** Starts again from the newest commit that can be read and hashes every file: their objects are written anew. */
  rebuild(signal: AbortSignal): Promise<void>;
  /** Paths in which the newest snapshot can differ from this one; null when that is not known. */
  touchedSince(tree: string): readonly string[] | null;
  /** Untracked files that the last snapshot left out for their size. */
  tooLarge(): readonly string[];
  /** Files that the last snapshot left out because nobody lets us read them. */
  unreadable(): readonly string[];
  /** Forgets what is remembered of the index after another command has changed it. */
  changed(): void;
};

type Place = {
  readonly repository: Repository;
  readonly at: Checkout;
  readonly workTree: string;
  readonly file: string;
  /** Untracked paths that never belong to a snapshot. */
  readonly leftOut: readonly string[];
  /** What the index may be made anew from, best first. */
  readonly roots: readonly string[];
};

type Differences = {
  /** Tracked paths that changed or vanished. */
  readonly tracked: readonly string[];
  readonly untracked: readonly string[];
  /** Folders, without the slash, that are repositories of their own. */
  readonly nested: readonly string[];
};

const writeTree = ['write-tree'];

export function createPrivateIndex(place: Place): PrivateIndex {
  const { repository, at, file } = place;
  const env = { GIT_INDEX_FILE: file };
  let knownTree: string | null = null;
  let large: readonly string[] = [];
  let unread: readonly string[] = [];
  let touched: { readonly from: string; readonly paths: readonly string[] } | null = null;

  async function update(careful: boolean, signal: AbortSignal): Promise<string> {
    const listed = await listDifferences(place, signal);
    large = await listLarge(place.workTree, listed.untracked);
    const differences = { ...listed, untracked: without(listed.untracked, large) };
    const { tracked, untracked, nested } = differences;
    const clean = tracked.length + untracked.length + nested.length === 0;
    if (clean && knownTree !== null) return knownTree;
    // What is inside a nested repository is not listed.
    const isListed = nested.length === 0 && !careful;
    touched =
      knownTree !== null && isListed
        ? { from: knownTree, paths: [...tracked, ...untracked] }
        : null;
    knownTree = null;
    const all = careful
      ? { ...differences, tracked: await listTracked(place, signal) }
      : differences;
    const applied = clean && !careful ? null : await applyDifferences(place, all, careful, signal);
    unread = careful ? (applied?.unread ?? []) : [];
    knownTree = applied?.tree ?? (await repository.text({ at, env, args: writeTree, signal }));
    return knownTree;
  }

  async function reset(treeish: string, signal: AbortSignal): Promise<void> {
    knownTree = null;
    touched = null;
    await removeLock(file);
    await rm(file, { force: true });
    await repository.output({ at, env, args: ['read-tree', '--end-of-options', treeish], signal });
  }

  async function startAgain(signal: AbortSignal): Promise<void> {
    for (const root of place.roots) {
      const done = await reset(root, signal).then(
        () => true,
        () => false,
      );
      signal.throwIfAborted();
      if (done) return;
    }
    await rm(file, { force: true });
  }

  return {
    file,
    reset,
    async rebuild(signal) {
      await startAgain(signal);
      await update(true, signal);
    },
    tooLarge: () => large,
    unreadable: () => unread,
    touchedSince(tree) {
      if (tree === knownTree) return [];
      return touched?.from === tree ? touched.paths : null;
    },
    changed() {
      knownTree = null;
      touched = null;
    },
    async snapshot(signal) {
      await removeLock(file);
      try {
        return await update(false, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (!(await canRebuild(place))) throw error;
        // A damaged index, objects pruned by the agent, or a file we may not read: start from the commit, hash
        // everything again and pass over what cannot be read. A second failure is final.
        await startAgain(signal);
        return update(true, signal);
      }
    },
  };
}

/** A fresh checkout's own index is the fastest seed: it knows the stat data of every file. */
export async function seedIndex(at: Checkout, file: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await replaceFile(path.join(at.gitDir, 'index'), file);
}

/** Agents can write here: a link left in the way is removed, never written through. */
export async function replaceFile(from: string, to: string): Promise<void> {
  const partial = `${to}.partial`;
  await rm(partial, { recursive: true, force: true });
  await copyFile(from, partial, constants.COPYFILE_EXCL);
  await rename(partial, to);
}

/** Our index has one user, so a lock beside it was left by a killed process. */
async function removeLock(file: string): Promise<void> {
  await rm(`${file}.lock`, { force: true });
}

async function canRebuild({ at, workTree }: Place): Promise<boolean> {
  const folders = await Promise.all(
    [at.gitDir, workTree].map((folder) => lstat(folder).catch(() => null)),
  );
  return folders.every((folder) => folder?.isDirectory() === true);
}

async function listDifferences(place: Place, signal: AbortSignal): Promise<Differences> {
  const env = { GIT_INDEX_FILE: place.file };
  const args = [
    'ls-files',
    '-t',
    '-z',
    '--modified',
    '--deleted',
    '--others',
    '--exclude-standard',
  ];
  const output = await place.repository.output({ at: place.at, env, args, signal });
  const tracked = new Set<string>();
  const untracked: string[] = [];
  const nested: string[] = [];
  for (const record of splitRecords(output)) {
    const name = record.slice(2);
    if (!record.startsWith('? ')) tracked.add(name);
    else if (isLeftOut(name, place.leftOut)) continue;
    else if (name.endsWith('/')) nested.push(name.slice(0, -1));
    else untracked.push(name);
  }
  return { tracked: await withoutHidden(place.workTree, [...tracked]), untracked, nested };
}

/** git takes a file in a folder it may not enter for deleted; it is only out of sight. */
async function withoutHidden(workTree: string, names: readonly string[]): Promise<string[]> {
  const hidden = await Promise.all(
    names.map((name) =>
      lstat(filePath(workTree, name)).then(
        () => false,
        (error: unknown) => error instanceof Error && 'code' in error && error.code === 'EACCES',
      ),
    ),
  );
  return names.filter((_, position) => hidden[position] === false);
}

/** New files of this size are build products or dumps far more often than work, and a repository never forgets them. */
const largestFile = 256 * 1024 * 1024;

async function listLarge(workTree: string, names: readonly string[]): Promise<readonly string[]> {
  const sizes = await Promise.all(
    names.map(async (name) => (await lstat(filePath(workTree, name)).catch(() => null))?.size ?? 0),
  );
  return names.filter((_, position) => (sizes[position] ?? 0) > largestFile);
}

function without(names: readonly string[], left: readonly string[]): readonly string[] {
  return left.length === 0 ? names : names.filter((name) => !left.includes(name));
}

async function listTracked(place: Place, signal: AbortSignal): Promise<readonly string[]> {
  const env = { GIT_INDEX_FILE: place.file };
  const args = ['ls-files', '-z'];
  return splitRecords(await place.repository.output({ at: place.at, env, args, signal }));
}

function isLeftOut(name: string, leftOut: readonly string[]): boolean {
  return [stateFolderName, ...leftOut].some((one) => name === one || name.startsWith(`${one}/`));
}

async function applyDifferences(
  place: Place,
  { tracked, untracked, nested }: Differences,
  careful: boolean,
  signal: AbortSignal,
): Promise<{ readonly unread: readonly string[]; readonly tree: string | null }> {
  const inside = await listNestedFiles(place, nested, signal);
  const added = [...untracked, ...inside].filter((name) => !isLeftOut(name, place.leftOut));
  const replacing = new Set(added);
  const remaining = tracked.filter(
    (name) => !parents(name).some((folder) => replacing.has(folder)),
  );
  const { beyond, reachable } = await sortByReach(place.workTree, remaining);
  if (beyond.length > 0) await updateIndex(place, ['--force-remove'], beyond, signal);
  // Tracked ones first: a file that became a folder must leave before what is in the folder comes.
  const names = [...reachable, ...added];
  const readable = careful ? await filterReadable(place.workTree, names) : names;
  const how = ['--add', '--remove', '--replace'];
  const tree = readable.length > 0 ? await updateIndex(place, how, readable, signal) : null;
  const taken = new Set(readable);
  return { unread: names.filter((name) => !taken.has(name)), tree };
}

/** The tree of the index as it is then. */
async function updateIndex(
  { repository, at, file }: Place,
  how: readonly string[],
  names: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  const env = { GIT_INDEX_FILE: file };
  const args = ['update-index', ...how, '-z', '--stdin'];
  const then = { args: writeTree };
  return repository.text({ at, env, args, input: joinRecords(names), then, signal });
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

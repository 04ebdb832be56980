import { lstatSync, mkdirSync, rmdirSync, rmSync, unlinkSync, type Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { isSubmodule, type MovedPath, type Side } from './move-sides.ts';
import { filePath, joinRecords } from './path-bytes.ts';
import { listDiffering, setEntries, type ScratchIndex } from './scratch-index.ts';

export type InspectedFiles = {
  /** The other side of the move, or half written: to be brought to what is wanted. */
  readonly toBring: readonly MovedPath[];
  /** Neither side: the user's. */
  readonly left: readonly string[];
  /** Not there, in a checkout that does not show every file. */
  readonly hidden: readonly string[];
};

/** Looks which files of the work tree a move has left on the wrong side. git compares, so line endings count as git counts them. */
export async function inspectFiles(
  index: ScratchIndex,
  paths: readonly MovedPath[],
  isSparse: boolean,
  signal: AbortSignal,
): Promise<InspectedFiles> {
  const plain = paths.filter(({ wanted, other }) => !isSubmodule(wanted) && !isSubmodule(other));
  const asOther = await matching(index, plain, ({ other }) => other, signal);
  const asWanted = await matching(index, plain, ({ wanted }) => wanted, signal);
  const toBring: MovedPath[] = [];
  const odd: MovedPath[] = [];
  const hidden: string[] = [];
  for (const each of plain) {
    if (asWanted.has(each.path)) continue;
    const isAbsent = look(index, each.path) === null;
    if (isAbsent && isSparse) hidden.push(each.path);
    else if (asOther.has(each.path) || isAbsent) toBring.push(each);
    else odd.push(each);
  }
  const half = await listHalfWritten(index, odd, signal);
  toBring.push(...odd.filter((each) => half.has(each.path)));
  return {
    toBring,
    hidden,
    left: odd.filter((each) => !half.has(each.path)).map(({ path: name }) => name),
  };
}

/** Paths at which the work tree has exactly this side. The index holds this side afterwards. */
async function matching(
  index: ScratchIndex,
  paths: readonly MovedPath[],
  sideOf: (path: MovedPath) => Side,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  rmSync(index.env['GIT_INDEX_FILE'] ?? '', { force: true });
  const entries = paths.map((each) => ({ path: each.path, side: sideOf(each) }));
  const present = entries.filter(({ side }) => side !== null);
  await setEntries(index, present, signal);
  const differing = present.length === 0 ? new Set() : await listDiffering(index, signal);
  const isThere = ({ path: name, side }: (typeof entries)[number]): boolean =>
    side === null ? look(index, name) === null : !differing.has(name);
  return new Set(entries.filter(isThere).map(({ path: name }) => name));
}

/** Brings files to the wanted side, which the index holds. Answers those that something of the user's is in the way of. */
export async function bringFiles(
  index: ScratchIndex,
  paths: readonly MovedPath[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { repository, at, env } = index;
  for (const { path: name, wanted } of paths) if (wanted === null) remove(index, name);
  const written = paths.filter(({ wanted }) => wanted !== null).map(({ path: name }) => name);
  const free = written.filter((name) => isFree(index, name));
  // Attributes first: they say how the others are written.
  for (const names of [free.filter(isAttributes), free.filter((name) => !isAttributes(name))]) {
    if (names.length === 0) continue;
    const args = ['checkout-index', '--force', '--quiet', '-z', '--stdin'];
    await repository.output({ at, env, args, input: joinRecords(names), signal });
  }
  return written.filter((name) => !free.includes(name));
}

function isAttributes(name: string): boolean {
  return path.posix.basename(name) === '.gitattributes';
}

/** Files that are empty, or hold only the beginning of what one side of the move has. */
async function listHalfWritten(
  index: ScratchIndex,
  paths: readonly MovedPath[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const half = new Set<string>();
  const longer = paths.filter(({ path: name }) => {
    const found = look(index, name);
    if (found?.isFile() !== true) return false;
    if (found.size === 0) half.add(name);
    return found.size > 0;
  });
  if (longer.length === 0) return half;
  for (const sideOf of [(each: MovedPath) => each.other, (each: MovedPath) => each.wanted]) {
    for (const name of await listPrefixes(index, longer, sideOf, signal)) half.add(name);
  }
  return half;
}

/** Writes one side beside the checkout, as git would write it there, and compares. Leaves the index with the wanted side. */
async function listPrefixes(
  index: ScratchIndex,
  paths: readonly MovedPath[],
  sideOf: (path: MovedPath) => Side,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { repository, at, env } = index;
  const files = paths.filter((each) => sideOf(each)?.mode.startsWith('100') === true);
  const folder = `${env['GIT_INDEX_FILE']}.side`;
  const sideIndex = { ...env, GIT_INDEX_FILE: `${folder}.index` };
  mkdirSync(folder, { recursive: true });
  try {
    const changes = files.map((each) => ({ path: each.path, side: sideOf(each) }));
    await setEntries({ ...index, env: sideIndex }, changes, signal);
    const input = joinRecords(changes.map(({ path: name }) => name));
    const args = ['checkout-index', '--force', '--quiet', '-z', '--stdin'];
    // Attributes are those of the checkout.
    const prefix = `--prefix=${folder}/`;
    await repository.output({ at, env: sideIndex, args: [...args, prefix], input, signal });
    const found: string[] = [];
    for (const { path: name } of changes) {
      const [here, whole] = [filePath(at.workTree ?? '', name), filePath(folder, name)];
      if (await isStrictPrefix(here, whole)) found.push(name);
    }
    return found;
  } finally {
    rmSync(folder, { recursive: true, force: true });
    for (const end of ['.index', '.index.lock']) rmSync(`${folder}${end}`, { force: true });
  }
}

const chunkBytes = 1024 * 1024;

async function isStrictPrefix(part: string | Buffer, whole: string | Buffer): Promise<boolean> {
  await using one = await open(part, 'r');
  await using other = await open(whole, 'r');
  const [{ size }, { size: wholeSize }] = await Promise.all([one.stat(), other.stat()]);
  if (size >= wholeSize) return false;
  const [left, right] = [Buffer.alloc(chunkBytes), Buffer.alloc(chunkBytes)];
  for (let at = 0; at < size; at += chunkBytes) {
    const length = Math.min(chunkBytes, size - at);
    await Promise.all([one.read(left, 0, length, at), other.read(right, 0, length, at)]);
    if (!left.subarray(0, length).equals(right.subarray(0, length))) return false;
  }
  return true;
}

/** What is at a path, never through a link. Null: nothing, or a folder, which is no file of git's. */
function look({ at }: ScratchIndex, name: string): Stats | null {
  if (folderInTheWay(at.workTree ?? '', name) !== null) return null;
  const found = lstat(filePath(at.workTree ?? '', name));
  return found?.isDirectory() === true ? null : found;
}

/** Removes a file, and folders that it leaves empty. */
function remove({ at }: ScratchIndex, name: string): void {
  const root = at.workTree ?? '';
  if (folderInTheWay(root, name) !== null) return;
  unlinkSync(filePath(root, name));
  for (let folder = path.posix.dirname(name); folder !== '.'; folder = path.posix.dirname(folder)) {
    try {
      rmdirSync(filePath(root, folder));
    } catch {
      // Something else is in it.
      return;
    }
  }
}

/** Whether a file can be written there without taking anything of the user's away. */
function isFree({ at }: ScratchIndex, name: string): boolean {
  const root = at.workTree ?? '';
  if (folderInTheWay(root, name) !== null) return false;
  const target = filePath(root, name);
  if (lstat(target)?.isDirectory() !== true) return true;
  try {
    rmdirSync(target);
    return true;
  } catch {
    return false;
  }
}

/** The first folder above a file that is something else than a folder. */
function folderInTheWay(root: string, name: string): string | null {
  const steps = name.split('/').slice(0, -1);
  for (let count = 1; count <= steps.length; count++) {
    const folder = steps.slice(0, count).join('/');
    const found = lstat(filePath(root, folder));
    if (found === null) return null;
    if (!found.isDirectory()) return folder;
  }
  return null;
}

function lstat(file: string | Buffer): Stats | null {
  return lstatSync(file, { throwIfNoEntry: false }) ?? null;
}

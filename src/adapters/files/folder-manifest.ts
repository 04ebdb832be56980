import { createHash } from 'node:crypto';
import {
  constants,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  rename,
  writeFile,
} from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { lazy } from '../../core/lazy.ts';
import { LoopwrightError } from '../../core/error.ts';
import { decodePath, filePath } from '../git/path-bytes.ts';
import { stateFolderName } from './folder-state.ts';
import { syncAllToDisk } from './sync-to-disk.ts';
import { privateFile, privateFolder } from './private-state.ts';
import { ownPid } from '../process/own-process.ts';

/** Folders that hold no work: version control, our own state, installed dependencies, caches. At any depth. */
export const ignoredFolders: ReadonlySet<string> = new Set([
  '.git',
  '.hg',
  '.svn',
  '.jj',
  stateFolderName,
  'node_modules',
  'bower_components',
  '.venv',
  'venv',
  '__pycache__',
  '.mypy_cache',
  '.pytest_cache',
  '.ruff_cache',
  '.tox',
  '.gradle',
  '.cache',
  '.next',
  '.nuxt',
  '.turbo',
  '.parcel-cache',
]);

/** Larger files are hashed, so changes are seen, but not kept: they cannot be restored. */
const maxKeptFileBytes = 10 * 1024 * 1024;

/** Contents kept per snapshot, in path order; what comes later is hashed only. */
const maxKeptTotalBytes = 1024 * 1024 * 1024;

const batchSize = 16;

const Entry = lazy(() =>
  z.object({
    path: z.string(),
    /** `opaque`: could not be read; known by size and time alone. */
    kind: z.enum(['file', 'link', 'opaque']),
    /** SHA-256 of the content, the target of a link. */
    id: z.string(),
    executable: z.boolean(),
  }),
);
export type Entry = z.infer<ReturnType<typeof Entry>>;

/** Every file of a folder at one moment, sorted by path. */
export type Manifest = readonly Entry[];

/** What a snapshot may still keep, and the folders in which it has put something. */
type Room = { left: number; readonly folders: Set<string> };

/** Reads every file (times and sizes prove nothing), keeps contents and manifest in the store, answers the snapshot's id. */
export async function takeSnapshot(
  root: string,
  store: string,
  signal: AbortSignal,
): Promise<string> {
  await mkdir(path.join(store, 'objects'), { recursive: true, mode: privateFolder });
  const names = await listFiles(root, signal);
  const room: Room = { left: maxKeptTotalBytes, folders: new Set() };
  const entries: Entry[] = [];
  for (let start = 0; start < names.length; start += batchSize) {
    signal.throwIfAborted();
    const batch = names.slice(start, start + batchSize);
    const read = await Promise.all(batch.map((name) => readEntry(root, name, store, room)));
    entries.push(...read.filter((entry) => entry !== null));
  }
  const text = JSON.stringify(entries);
  const id = createHash('sha256').update(text).digest('hex');
  await writeOnce(path.join(store, `${id}.json`), text);
  await syncAllToDisk([...room.folders, path.join(store, 'objects'), store]);
  return id;
}

export async function loadManifest(store: string, id: string): Promise<Manifest> {
  if (!/^[0-9a-f]{64}$/.test(id)) throw unknownSnapshot(id);
  const text = await readFile(path.join(store, `${id}.json`), 'utf8').catch(() => null);
  if (text === null) throw unknownSnapshot(id);
  return z.array(Entry()).parse(JSON.parse(text));
}

/** Kept content of a file; null when it was too large to keep. */
export async function readContent(store: string, entry: Entry): Promise<Buffer | null> {
  if (entry.kind !== 'file') return null;
  return readFile(objectFile(store, entry.id)).catch(() => null);
}

export async function hasContent(store: string, entry: Entry): Promise<boolean> {
  if (entry.kind === 'link') return true;
  return (await readContent(store, entry)) !== null;
}

function objectFile(store: string, id: string): string {
  return path.join(store, 'objects', id.slice(0, 2), id);
}

async function listFiles(root: string, signal: AbortSignal): Promise<string[]> {
  const names: string[] = [];
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    signal.throwIfAborted();
    const options = { withFileTypes: true, encoding: 'buffer' } as const;
    const entries = await readdir(filePath(root, folder), options).catch(() => []);
    for (const entry of entries) {
      const name = decodePath(entry.name);
      const relative = folder === '' ? name : `${folder}/${name}`;
      if (entry.isFile() || entry.isSymbolicLink()) names.push(relative);
      else if (entry.isDirectory() && !ignoredFolders.has(name)) folders.push(relative);
    }
  }
  return names.toSorted();
}

async function readEntry(
  root: string,
  name: string,
  store: string,
  room: Room,
): Promise<Entry | null> {
  const file = filePath(root, name);
  try {
    // No following of links, no waiting for a pipe that took the file's place.
    await using handle = await open(
      file,
      constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
    );
    const stat = await handle.stat();
    if (!stat.isFile()) return null;
    const keep = stat.size <= maxKeptFileBytes && stat.size <= room.left;
    if (keep) room.left -= stat.size;
    const id = keep ? await keepContent(handle, store, room) : await hashContent(handle);
    return { path: name, kind: 'file', id, executable: (stat.mode & 0o100) !== 0 };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ELOOP') return readLink(file, name);
    if (code === 'ENOENT') return null;
    if (code === 'EACCES' || code === 'EPERM') {
      return { path: name, kind: 'opaque', id: 'unreadable', executable: false };
    }
    throw error;
  }
}

async function readLink(file: string | Buffer, name: string): Promise<Entry | null> {
  const target = await readlink(file, { encoding: 'buffer' }).catch(() => null);
  if (target === null) return null;
  return { path: name, kind: 'link', id: decodePath(target), executable: false };
}

async function keepContent(handle: FileHandle, store: string, room: Room): Promise<string> {
  const content = await handle.readFile();
  const id = createHash('sha256').update(content).digest('hex');
  const file = objectFile(store, id);
  await mkdir(path.dirname(file), { recursive: true, mode: privateFolder });
  if (await writeOnce(file, content)) room.folders.add(path.dirname(file));
  return id;
}

async function hashContent(handle: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of handle.createReadStream({ autoClose: false })) hash.update(chunk);
  return hash.digest('hex');
}

let partials = 0;

/** Named by its content, so an existing file is already right. True when it was written. */
async function writeOnce(file: string, content: string | Buffer): Promise<boolean> {
  const existing = await readFile(file).catch(() => null);
  if (existing?.equals(Buffer.from(content)) === true) return false;
  partials += 1;
  const partial = `${file}.${ownPid}-${partials}.partial`;
  await writeFile(partial, content, { flush: true, mode: privateFile });
  await rename(partial, file);
  return true;
}

function unknownSnapshot(id: string): LoopwrightError {
  return new LoopwrightError('workspace.unknown_snapshot', `There is no snapshot ${id}`);
}

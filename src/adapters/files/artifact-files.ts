import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  createReadStream,
  createWriteStream,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createRedaction, type Redaction } from '../../core/redact/redactor.ts';
import { LoopwrightError } from '../../core/error.ts';
import type { Artifacts } from '../../ports/artifacts.ts';
import { openOwnFile, writeOwnFile } from './own-file.ts';
import { firstInTheWay, folderIdentity, makeFolders } from './own-folder.ts';
import { openPlainFile, readSmallFile } from './small-file.ts';
import { syncAllToDisk } from './sync-to-disk.ts';
import { ownPid } from '../process/own-process.ts';

/** Folders of work that is under way; those of long ago are not written again. */
const mostSeen = 1000;

/**
 * Artifacts as plain files: `<state folder>/loops/<loop id>/iterations/001/...`. They are small, so they are written at
 * once: handing them to another thread takes longer than the writing.
 */
export function createArtifacts(
  stateDir: string,
  redaction: Redaction = createRedaction([]),
): Artifacts {
  const loopDir = (loopId: string) => path.join(stateDir, 'loops', loopId);
  /** Folders that were made here, as they were then. */
  const seen = new Map<string, string>();

  function requireIntact(dir: string): void {
    const now = folderIdentity(dir);
    const known = seen.get(dir);
    // The very same folder, whatever may have happened above it.
    if (now !== null && now === known) return;
    const replaced = firstInTheWay(stateDir, dir);
    // One that is gone can be made again.
    if (replaced === null && (now === null || known === undefined)) return;
    // In place of a link whoever resumes the loop gets a new one; somebody's folder stays somebody's.
    if (now === null) seen.delete(dir);
    throw new LoopwrightError(
      'artifacts.replaced',
      `${replaced ?? dir} is not the folder that was made for this loop's records any more; nothing was written there`,
      {
        hint: 'look into it and move it away, then resume the loop: it goes on with a new iteration',
      },
    );
  }

  async function made(dir: string): Promise<string> {
    if (seen.has(dir)) requireIntact(dir);
    if (folderIdentity(dir) === seen.get(dir)) return dir;
    makeFolders(stateDir, dir);
    seen.delete(dir);
    seen.set(dir, folderIdentity(dir) ?? '');
    for (const oldest of seen.keys()) {
      if (seen.size <= mostSeen) break;
      seen.delete(oldest);
    }
    return dir;
  }

  return {
    loopDir,
    iterationDir: (loopId, number) =>
      made(path.join(loopDir(loopId), 'iterations', String(number).padStart(3, '0'))),
    namedDir: (loopId, name) => made(path.join(loopDir(loopId), name)),
    requireIntact,
    async write(file, text) {
      requireIntact(path.dirname(file));
      writeWhole(file, text);
    },
    async keep(file, text) {
      const dir = path.dirname(file);
      requireIntact(dir);
      writeWhole(file, text);
      await syncAllToDisk([file, dir, path.dirname(dir)]);
    },
    async moveClean(from, to) {
      requireIntact(path.dirname(to));
      await moveClean(from, to, redaction);
    },
    readTail,
    async tidy(loopId) {
      makeFolders(stateDir, loopDir(loopId));
      await removeHalves(loopDir(loopId));
    },
    digest,
    namesIn,
    async loops() {
      const names = await foldersIn(path.join(stateDir, 'loops'));
      return names.filter((name) => name.startsWith('loop-'));
    },
    async iterations(loopId) {
      const names = await foldersIn(path.join(loopDir(loopId), 'iterations'));
      return names.filter((name) => /^\d{3,9}$/.test(name)).map(Number);
    },
    removeFile: (file) => rm(file, { force: true }),
    async remove(loopId) {
      requireIntact(path.dirname(loopDir(loopId)));
      for (const dir of seen.keys()) if (isInside(loopDir(loopId), dir)) seen.delete(dir);
      // A link is removed as such.
      await rm(loopDir(loopId), { recursive: true, force: true });
    },
    diskUsage: (loopId) => folderSize(loopDir(loopId)),
  };
}

function isInside(folder: string, file: string): boolean {
  return file === folder || file.startsWith(`${folder}${path.sep}`);
}

/** Old or new, never half: written beside and moved into place. */
function writeWhole(file: string, text: string): void {
  const beside = `${file}.tmp-${ownPid}`;
  writeOwnFile(beside, text);
  renameSync(beside, file);
}

async function moveClean(from: string, to: string, redaction: Redaction): Promise<void> {
  const beside = `${to}.tmp-${ownPid}`;
  const redactor = redaction.stream();
  async function* cleaned(chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) yield* redactor.push(chunk);
    yield* redactor.end();
  }
  try {
    const small = readSmallFile(from);
    if (small === null) {
      const handle = openPlainFile(from);
      if (handle === null) throw new Error(`${from} has been replaced by something else`);
      const into = createWriteStream(beside, { fd: openOwnFile(beside) });
      await pipeline(createReadStream(from, { fd: handle }), cleaned, into);
    } else writeOwnFile(beside, Buffer.concat([...redactor.push(small), ...redactor.end()]));
    renameSync(beside, to);
  } finally {
    for (const file of [beside, from]) rmSync(file, { force: true });
  }
}

const halfWritten = /\.(?:partial|tmp-\d+)$/;

async function removeHalves(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  for (const { name, parentPath } of entries) {
    if (halfWritten.test(name)) await rm(path.join(parentPath, name), { force: true });
  }
}

export async function readTail(file: string, maxBytes: number): Promise<string | null> {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return null;
  // Whoever put a pipe in its place does not make the engine wait.
  const handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const { size } = fstatSync(handle);
    const length = Math.min(size, maxBytes);
    const buffer = Buffer.alloc(length);
    const bytesRead = readSync(handle, buffer, 0, length, size - length);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    closeSync(handle);
  }
}

async function foldersIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

async function digest(files: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const file of files) {
    if (statSync(file, { throwIfNoEntry: false }) === undefined) continue;
    const small = readSmallFile(file);
    const handle = small === null ? openPlainFile(file) : null;
    if (small !== null) hash.update(small);
    // What somebody has put in its place, a pipe perhaps, says nothing.
    if (handle === null) continue;
    for await (const chunk of createReadStream(file, { fd: handle })) hash.update(chunk);
  }
  return hash.digest('hex');
}

async function folderSize(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  let bytes = 0;
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const found = await stat(path.join(entry.parentPath, entry.name)).catch(() => null);
    bytes += found?.size ?? 0;
  }
  return bytes;
}

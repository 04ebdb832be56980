import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  createReadStream,
  createWriteStream,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createRedaction, type Redaction } from '../../core/redact/redactor.ts';
import type { Artifacts } from '../../ports/artifacts.ts';
import { readSmallFile } from './small-file.ts';

/**
 * Artifacts as plain files: `<state folder>/loops/<loop id>/iterations/001/...`. They are small, so they are written at
 * once: handing them to another thread takes longer than the writing.
 */
export function createArtifacts(
  stateDir: string,
  redaction: Redaction = createRedaction([]),
): Artifacts {
  const loopDir = (loopId: string) => path.join(stateDir, 'loops', loopId);
  return {
    loopDir,
    iterationDir: (loopId, number) =>
      made(path.join(loopDir(loopId), 'iterations', String(number).padStart(3, '0'))),
    namedDir: (loopId, name) => made(path.join(loopDir(loopId), name)),
    write: writeWhole,
    moveClean: (from, to) => moveClean(from, to, redaction),
    readTail,
    tidy: (loopId) => removeHalves(loopDir(loopId)),
    digest,
    namesIn,
    removeFile: (file) => rm(file, { force: true }),
    remove: (loopId) => rm(loopDir(loopId), { recursive: true, force: true }),
    diskUsage: (loopId) => folderSize(loopDir(loopId)),
  };
}

async function made(dir: string): Promise<string> {
  mkdirSync(dir, { recursive: true });
  return dir;
}

/** Old or new, never half: written beside and moved into place. */
async function writeWhole(file: string, text: string): Promise<void> {
  const beside = `${file}.tmp-${process.pid}`;
  writeFileSync(beside, text);
  renameSync(beside, file);
}

async function moveClean(from: string, to: string, redaction: Redaction): Promise<void> {
  const beside = `${to}.tmp-${process.pid}`;
  const redactor = redaction.stream();
  async function* cleaned(chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) yield* redactor.push(chunk);
    yield* redactor.end();
  }
  try {
    const small = readSmallFile(from);
    if (small === null) await pipeline(createReadStream(from), cleaned, createWriteStream(beside));
    else writeFileSync(beside, Buffer.concat([...redactor.push(small), ...redactor.end()]));
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

async function readTail(file: string, maxBytes: number): Promise<string | null> {
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

async function namesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

async function digest(files: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const file of files) {
    if (statSync(file, { throwIfNoEntry: false }) === undefined) continue;
    const small = readSmallFile(file);
    if (small !== null) hash.update(small);
    else for await (const chunk of createReadStream(file)) hash.update(chunk);
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

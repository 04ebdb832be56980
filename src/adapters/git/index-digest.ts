import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { readSmallFile } from '../files/small-file.ts';
import { absentIndex, damagedIndex } from '../../core/loop/surroundings.ts';

type Known = { readonly stamp: string; readonly digest: string };

/**
 * Tells what is staged in an index file as one short text: paths, modes, objects and the flags that hide changes. Stat data,
 * which every `git status` refreshes, plays no part. Reads the file again only when it was written since the last look.
 */
export function createIndexDigest(file: string): () => string {
  let known: Known | null = null;
  return () => {
    const stamp = stampOf(file);
    if (known?.stamp !== stamp) known = { stamp, digest: digestIndex(file) };
    return known.digest;
  };
}

function stampOf(file: string): string {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  if (found === undefined) return absentIndex;
  return [found.ino, found.size, found.mtimeNs, found.ctimeNs].join(' ');
}

function digestIndex(file: string): string {
  let bytes: Buffer | null;
  try {
    bytes = readSmallFile(file, Number.POSITIVE_INFINITY);
  } catch {
    bytes = null;
  }
  if (bytes === null) return absentIndex;
  // The length of object names is written nowhere in the file.
  const content = readEntries(bytes, 20) ?? readEntries(bytes, 32);
  const digest = createHash('sha256')
    .update(content ?? bytes)
    .digest('hex');
  return `${content === null ? damagedIndex : ''}${digest.slice(0, 32)}`;
}

const headerBytes = 12;
const statBytes = 40;
const modeOffset = 24;
const assumeUnchangedAndStage = 0xb0_00;
const isExtended = 0x40_00;
const longestNameLength = 0xf_ff;
/** No file has a longer name. In a file of version 4 each entry can repeat most of the one before: without bounds it could be made to grow. */
const longestPath = 4096;
const mostBytes = 256 * 1024 * 1024;

/**
 * What the entries say, one after the other; null when the file does not follow the format. Extensions other than the link to a
 * shared index say nothing of content.
 */
function readEntries(bytes: Buffer, idBytes: number): Buffer | null {
  if (bytes.length < headerBytes + idBytes || bytes.toString('latin1', 0, 4) !== 'DIRC')
    return null;
  const version = bytes.readUInt32BE(4);
  if (version < 2 || version > 4) return null;
  const name = Buffer.alloc(longestPath);
  let nameLength = 0;
  let out = Buffer.alloc(bytes.length);
  let size = 0;
  let at = headerBytes;
  for (let left = bytes.readUInt32BE(8); left > 0; left--) {
    const flagsAt = at + statBytes + idBytes;
    if (flagsAt + 4 > bytes.length) return null;
    const flags = bytes.readUInt16BE(flagsAt);
    const extended = (flags & isExtended) === 0 ? 0 : bytes.readUInt16BE(flagsAt + 2);
    let nameAt = flagsAt + ((flags & isExtended) === 0 ? 2 : 4);
    let kept = 0;
    if (version === 4) {
      const stripped = readVarint(bytes, nameAt);
      kept = nameLength - stripped.value;
      nameAt = stripped.next;
    }
    const end = bytes.indexOf(0, nameAt);
    if (kept < 0 || end === -1 || kept + end - nameAt > longestPath) return null;
    bytes.copy(name, kept, nameAt, end);
    nameLength = kept + end - nameAt;
    if (Math.min(nameLength, longestNameLength) !== (flags & longestNameLength)) return null;
    const needed = size + 9 + idBytes + nameLength;
    if (needed > mostBytes) return null;
    if (needed > out.length) out = Buffer.concat([out, Buffer.alloc(needed)]);
    size = out.writeUInt16BE(extended, size);
    size = out.writeUInt16BE(flags & assumeUnchangedAndStage, size);
    size += bytes.copy(out, size, at + modeOffset, at + modeOffset + 4);
    size += bytes.copy(out, size, at + statBytes, flagsAt);
    size += name.copy(out, size, 0, nameLength);
    size = out.writeUInt8(0, size);
    at = version === 4 ? end + 1 : at + padded(end - at);
  }
  return Buffer.concat([out.subarray(0, size), ...sharedIndex(bytes, at, idBytes)]);
}

/** Entries end with one to eight zeros, so that the next one begins at a multiple of eight. */
function padded(length: number): number {
  return (length + 8) & ~7;
}

/** git's variable-width integer, in which each further byte also adds one. */
function readVarint(
  bytes: Buffer,
  start: number,
): { readonly value: number; readonly next: number } {
  let at = start;
  let byte = bytes[at++] ?? 0;
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0 && at < bytes.length) {
    byte = bytes[at++] ?? 0;
    value = (value + 1) * 128 + (byte & 0x7f);
  }
  return { value, next: at };
}

/** With a split index most entries are in another file, which this extension names by its hash. */
function sharedIndex(bytes: Buffer, start: number, idBytes: number): readonly Uint8Array[] {
  let at = start;
  while (at + 8 <= bytes.length - idBytes) {
    const size = bytes.readUInt32BE(at + 4);
    if (bytes.toString('latin1', at, at + 4) === 'link') {
      return [bytes.subarray(at, at + 8 + size)];
    }
    at += 8 + size;
  }
  return [];
}

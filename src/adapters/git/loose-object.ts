import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { inflateSync } from 'node:zlib';
import { isObjectId } from './repository.ts';

/** A loose object as it is on the disk; null when it is in a pack or nowhere, or too large for a quick look. */
export type LooseObject =
  | { readonly kind: 'sound'; readonly content: string }
  | { readonly kind: 'damaged'; readonly file: string; readonly why: string };

const largest = 16 * 1024 * 1024;

export function readLoose(commonDir: string, id: string): LooseObject | null {
  if (!isObjectId(id)) return null;
  const file = path.join(commonDir, 'objects', id.slice(0, 2), id.slice(2));
  let stored: Buffer;
  try {
    stored = readFileSync(file);
  } catch {
    return null;
  }
  if (stored.length === 0) return { kind: 'damaged', file, why: 'is empty' };
  if (stored.length > largest) return null;
  try {
    const bytes = inflateSync(stored, { maxOutputLength: largest });
    const hash = createHash(id.length === 40 ? 'sha1' : 'sha256').update(bytes);
    if (hash.digest('hex') !== id) return { kind: 'damaged', file, why: 'is corrupt' };
    return { kind: 'sound', content: bytes.subarray(bytes.indexOf(0) + 1).toString('latin1') };
  } catch (error) {
    const isTooLarge = error instanceof RangeError;
    return isTooLarge ? null : { kind: 'damaged', file, why: 'is corrupt' };
  }
}

/** What is wrong with a commit, or with the tree it names, as far as both are loose; null when nothing is seen to be. */
export function commitFault(commonDir: string, id: string): string | null {
  const commit = readLoose(commonDir, id);
  if (commit === null) return null;
  if (commit.kind === 'damaged') return `${commit.file} ${commit.why}`;
  const tree = commit.content.startsWith('tree ') ? (commit.content.split('\n')[0] ?? '') : '';
  const named = readLoose(commonDir, tree.slice('tree '.length));
  return named?.kind === 'damaged' ? `${named.file} ${named.why}` : null;
}

import { createHash } from 'node:crypto';
import { createReadStream, lstatSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { smallText } from '../files/small-file.ts';
import { attributesMention, ownAttributes } from './attribute-files.ts';
import type { Place, Unstored } from './list-differences.ts';
import { filePath } from './path-bytes.ts';
import { diffTrees, type TreeEntry } from './tree-diff.ts';

/**
 * Files of a loop that a fresh checkout of its commit gives other bytes: attributes convert line endings, encodings and `$Id$`
 * on the way in, and not all of it comes back on the way out. The checks saw what is here, a clone sees the rest.
 */
export type ConvertedFiles = {
  /** As of this tree. `touched`: what can have changed since the last call, in the whole loop for the first; null when unknown. */
  find(
    tree: string,
    touched: readonly string[] | null,
    signal: AbortSignal,
  ): Promise<readonly Unstored[]>;
};

const words = ['text', 'crlf', 'eol', 'ident', 'encoding'];

export function createConvertedFiles(place: Place, base: string | null): ConvertedFiles {
  const { repository, at, workTree } = place;
  /** Those of the last time, which nobody may have touched since. */
  let last: readonly string[] = [];
  const rulesBefore = smallText(ownAttributes(at), 'latin1');
  const setsEndings = repository.user.config.some(
    ([key, value]) => key === 'core.autocrlf' && value !== 'false',
  );

  function mayConvert(names: readonly string[]): boolean {
    return setsEndings || attributesMention(at, names, words);
  }

  function isFile(name: string): boolean {
    return lstatSync(filePath(workTree, name), { throwIfNoEntry: false })?.isFile() === true;
  }

  /** What this loop has changed, with its blobs. */
  async function listEntries(
    from: string,
    tree: string,
    signal: AbortSignal,
  ): Promise<readonly TreeEntry[]> {
    const { entries } = await diffTrees(repository, from, tree, signal);
    return entries.filter(({ newMode, path: name }) => newMode.startsWith('100') && isFile(name));
  }

  return {
    async find(tree, touched, signal) {
      if (base === null) return [];
      const names = touched === null ? null : [...touched, ...last];
      if (names !== null && !mayConvert(names)) return [];
      const entries = await listEntries(base, tree, signal);
      const changed = entries.map(({ path: name }) => name);
      if (names === null && !mayConvert(changed)) return [];
      // New rules may be about any file.
      const wanted = new Set(names === null || names.some(isAttributesFile) ? changed : names);
      const asked = entries.filter(({ path: name }) => wanted.has(name));
      const lost: string[] = [];
      // Rules that somebody has put beside the repository meanwhile are in no clone.
      const isTrue = smallText(ownAttributes(at), 'latin1') === rulesBefore;
      for (const entry of await storedOtherwise(place, asked, signal)) {
        if (!isTrue || !(await comesBack(place, entry, signal))) lost.push(entry.path);
      }
      last = lost;
      return lost.map((name) => ({ name, why: 'a checkout of the commit gives it other bytes' }));
    },
  };
}

function isAttributesFile(name: string): boolean {
  return path.posix.basename(name) === '.gitattributes';
}

/** Those whose blob is not the file as it lies here. */
async function storedOtherwise(
  { workTree }: Place,
  entries: readonly TreeEntry[],
  signal: AbortSignal,
): Promise<readonly TreeEntry[]> {
  const others: TreeEntry[] = [];
  for (const entry of entries) {
    if ((await blobId(filePath(workTree, entry.path), entry.newId, signal)) !== entry.newId)
      others.push(entry);
  }
  return others;
}

/** The name git gives these bytes, in the kind of hash that another name is of. */
async function blobId(file: string | Buffer, like: string, signal: AbortSignal): Promise<string> {
  const hash = createHash(like.length > 40 ? 'sha256' : 'sha1');
  hash.update(`blob ${statSync(file).size}\0`);
  for await (const chunk of createReadStream(file, { signal })) hash.update(chunk);
  return hash.digest('hex');
}

/** What is larger is not compared byte by byte; it counts as lost. */
const largestCompared = 64 * 1024 * 1024;

/** Whether a checkout gives the file as it is. */
async function comesBack(
  { repository, at, workTree }: Place,
  { path: name, newId }: TreeEntry,
  signal: AbortSignal,
): Promise<boolean> {
  const file = filePath(workTree, name);
  if (!name.isWellFormed() || statSync(file).size > largestCompared) return false;
  const args = ['cat-file', '--filters', `--path=${name}`, newId];
  return (await repository.output({ at, args, signal })).equals(readFileSync(file));
}

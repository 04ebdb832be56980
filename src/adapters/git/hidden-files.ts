import { existsSync } from 'node:fs';
import path from 'node:path';
import { readSmallFile } from '../files/small-file.ts';
import { replaceText } from './ignore-rules.ts';
import type { Place, Unstored } from './list-differences.ts';
import { strangersInGitFolder } from './nested-git-folder.ts';
import { listIgnored } from './nested-repository.ts';
import { createOddEntries } from './odd-entries.ts';
import { joinRecords, splitRecords } from './path-bytes.ts';

/**
 * Files that git passes over although nothing committed says so: what an ignore file hides that is itself in no commit (a
 * folder that ignores itself), and what lies below an entry called `.git`. The checks see them, a clone of the commit does
 * not. What was there before the first agent came is not its doing, and caches by their usual names are nobody's work.
 */
export type HiddenFiles = {
  /** Before an agent may act. Later calls change nothing. */
  begin(signal: AbortSignal): Promise<void>;
  /** What has been hidden since, as of the newest snapshot. */
  find(signal: AbortSignal): Promise<readonly Unstored[]>;
};

export function createHiddenFiles(place: Place, folder: string): HiddenFiles {
  const { workTree } = place;
  const file = path.join(folder, 'odd-entries');
  const look = createOddEntries(workTree, place.leftOut);
  /** In memory for as long as we live; the file is for the next engine. */
  let before: ReadonlySet<string> | null = null;
  /** Ignore files that a commit holds. */
  let committed: ReadonlySet<string> = new Set();

  const isNew = (name: string) => before?.has(name) !== true;

  async function begin(signal: AbortSignal): Promise<void> {
    if (before !== null) return;
    before = recall(file);
    if (before !== null) return;
    const { ignoreFiles, gitEntries } = await look(signal);
    const open = await listUncommitted(ignoreFiles, signal);
    before = new Set([...open, ...gitEntries]);
    if (existsSync(folder)) replaceText(file, joinRecords([...before]).toString('latin1'));
  }

  /** Asked of git only when an ignore file is new. */
  async function listUncommitted(
    files: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const unknown = files.filter((name) => !committed.has(name));
    const stored = unknown.length === 0 ? [] : await listStored(place, unknown, signal);
    committed = new Set([...files.filter((name) => committed.has(name)), ...stored]);
    return files.filter((name) => !committed.has(name));
  }

  return {
    begin,
    async find(signal) {
      await begin(signal);
      const { ignoreFiles, gitEntries } = await look(signal);
      const open = (await listUncommitted(ignoreFiles, signal)).filter(isNew);
      const ignoring = open.length === 0 ? [] : await withoutIgnoredFolders(place, open, signal);
      const strange = gitEntries.filter(
        (each) => isNew(each) && strangersIn(workTree, each).length > 0,
      );
      const kept = strange.length === 0 ? [] : await withoutIgnoredFolders(place, strange, signal);
      const inside = kept.flatMap((each) => strangersIn(workTree, each));
      return [
        ...ignoring.map((name) => ({ name, why: 'is in no commit, nor is what it hides' })),
        ...inside.map((name) => ({ name, why: 'has a name that git does not store' })),
      ];
    },
  };
}

const mostNames = 5;

function strangersIn(workTree: string, entry: string): readonly string[] {
  const found = strangersInGitFolder(workTree, entry);
  return found.length > mostNames ? [`${entry}/`] : found;
}

function recall(file: string): ReadonlySet<string> | null {
  try {
    const text = readSmallFile(file, Number.POSITIVE_INFINITY);
    return text === null ? null : new Set(splitRecords(text));
  } catch {
    return null;
  }
}

async function listStored(
  { repository, at, file }: Place,
  names: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const env = { GIT_INDEX_FILE: file };
  const wellFormed = names.filter((name) => name.isWellFormed());
  const args = ['ls-files', '-z', '--cached', '--', ...wellFormed.slice(0, mostArguments)];
  return splitRecords(await repository.output({ at, env, args, signal }));
}

/** More ignore files than this are not of a project that somebody looks after. */
const mostArguments = 2000;

/** Without those in folders that a committed list, or the user's own, ignores as a whole: they stay out by right. */
async function withoutIgnoredFolders(
  place: Place,
  entries: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const folders = entries.map(folderOf).filter((folder) => folder !== '.');
  const ignored = folders.length === 0 ? null : await listIgnored(place, folders, signal);
  return entries.filter((name) => ignored?.has(folderOf(name)) !== true);
}

function folderOf(name: string): string {
  return path.posix.dirname(name);
}

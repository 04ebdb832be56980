import { lstatSync, readdirSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { ignoredFolders } from '../files/folder-manifest.ts';
import { decodePath, filePath } from './path-bytes.ts';

/** What can keep files out of a commit without a word: ignore files and entries called `.git`, as relative paths. */
export type OddEntries = {
  readonly ignoreFiles: readonly string[];
  readonly gitEntries: readonly string[];
};

type Folder = {
  readonly changed: bigint;
  /** Seen twice with the same time: what was written within one tick of the clock is in the second listing. */
  readonly isSteady: boolean;
  readonly folders: readonly string[];
  readonly hasIgnoreFile: boolean;
  readonly hasGitEntry: boolean;
};

const ignoreFile = '.gitignore';
const gitEntry = '.git';

/** How many folders are looked at before others get their turn. */
const sliceSize = 200;

/**
 * Looks through the folders of a worktree, but for dependencies, caches and what is left out. Folders that did not change
 * since the look before are not read again; the time the file system keeps cannot be set by an agent.
 */
export function createOddEntries(
  workTree: string,
  leftOut: readonly string[],
): (signal: AbortSignal) => Promise<OddEntries> {
  let known = new Map<string, Folder>();
  return async (signal) => {
    const seen = new Map<string, Folder>();
    const ignoreFiles: string[] = [];
    const gitEntries: string[] = [];
    const queue = [''];
    for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
      if (seen.size % sliceSize === sliceSize - 1) await setImmediate(undefined, { signal });
      const folder = readFolder(workTree, at, known.get(at));
      if (folder === null) continue;
      seen.set(at, folder);
      if (folder.hasIgnoreFile) ignoreFiles.push(at + ignoreFile);
      if (folder.hasGitEntry && at !== '') gitEntries.push(at + gitEntry);
      for (const name of folder.folders) {
        if (!leftOut.includes(at + name)) queue.push(`${at}${name}/`);
      }
    }
    known = seen;
    return { ignoreFiles: ignoreFiles.toSorted(), gitEntries: gitEntries.toSorted() };
  };
}

/** Null when it is gone, is no folder, or may not be looked into, which the snapshot tells. */
function readFolder(workTree: string, at: string, before: Folder | undefined): Folder | null {
  const place = filePath(workTree, at);
  const found = lstatSync(place, { bigint: true, throwIfNoEntry: false });
  if (found?.isDirectory() !== true) return null;
  const changed = found.ctimeNs;
  if (before?.changed === changed && before.isSteady) return before;
  try {
    const entries = readdirSync(place, { withFileTypes: true, encoding: 'buffer' });
    const names = entries.map((entry) => ({ entry, name: decodePath(entry.name) }));
    const folders = names.filter(
      ({ entry, name }) => entry.isDirectory() && !ignoredFolders.has(name),
    );
    return {
      changed,
      isSteady: before?.changed === changed,
      folders: folders.map(({ name }) => name),
      hasIgnoreFile: entries.length > 1 && names.some(({ name }) => name === ignoreFile),
      hasGitEntry: names.some(({ name }) => name === gitEntry),
    };
  } catch {
    return null;
  }
}

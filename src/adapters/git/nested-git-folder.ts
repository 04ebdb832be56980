import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { filePath } from './path-bytes.ts';

/** What git itself keeps in its folder. */
const ownNames: ReadonlySet<string> = new Set([
  'HEAD',
  'config',
  'description',
  'hooks',
  'info',
  'objects',
  'refs',
  'index',
  'logs',
  'branches',
  'packed-refs',
  'shallow',
  'COMMIT_EDITMSG',
  'MERGE_MSG',
  'ORIG_HEAD',
  'FETCH_HEAD',
  'gc.log',
]);

/** And in the folders in it that it reads programs, lists and objects from. */
const ownInside: Readonly<Record<string, RegExp>> = {
  hooks: /\.sample$/,
  info: /^(?:exclude|refs)$/,
  objects: /^(?:[0-9a-f]{2}|pack|info)$/,
};

/** What a repository always has. */
const essentials = ['HEAD', 'objects', 'refs'];

/**
 * Paths at or below an entry called `.git` inside the worktree that are no part of a repository. git stores none of them,
 * and says nothing. The folder itself when it is no repository at all.
 */
export function strangersInGitFolder(workTree: string, entry: string): readonly string[] {
  const place = filePath(workTree, entry);
  const found = lstatSync(place, { throwIfNoEntry: false });
  if (found === undefined) return [];
  if (found.isFile()) return isPointer(place, found.size) ? [] : [entry];
  if (!found.isDirectory()) return [entry];
  const names = namesIn(workTree, entry);
  if (names === null) return [entry];
  if (names.length === 0) return [];
  if (!essentials.every((name) => names.includes(name))) return [`${entry}/`];
  const strangers = names.filter((name) => !ownNames.has(name));
  const inside = Object.entries(ownInside).flatMap(([folder, own]) => {
    const all = names.includes(folder) ? (namesIn(workTree, `${entry}/${folder}`) ?? []) : [];
    return all.filter((name) => !own.test(name)).map((name) => `${folder}/${name}`);
  });
  return [...strangers, ...inside].map((name) => `${entry}/${name}`);
}

/** A submodule or another worktree has a file that says where its repository is. */
function isPointer(place: string | Buffer, size: number): boolean {
  if (size > 8192) return false;
  try {
    const lines = readFileSync(place, 'utf8').trimEnd().split('\n');
    return lines.length === 1 && lines[0]?.startsWith('gitdir: ') === true;
  } catch {
    return false;
  }
}

function namesIn(workTree: string, folder: string): readonly string[] | null {
  try {
    return readdirSync(filePath(workTree, folder));
  } catch {
    return null;
  }
}

/** Which files of a worktree its ignore files leave out: every `.gitignore` on the way, and git's own `info/exclude`. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseIgnoreList, type IgnoreList } from '../../../core/text/ignore-list.ts';
import { openListed, type OpenedFolder, type WorktreeFiles } from './worktree-files.ts';

const ignoreFile = '.gitignore';
const maxBytes = 1024 * 1024;

/** The lists that apply in a folder before its own, weakest first. They hold outside git as well. */
export async function ignoreListsAbove(
  files: WorktreeFiles,
  start: string,
): Promise<readonly IgnoreList[]> {
  const own = parseIgnoreList(await excludedByGit(files.root), '');
  const parts = start === '' ? [] : start.split('/');
  const above = parts.map((_, index) => parts.slice(0, index).join('/'));
  const lists: IgnoreList[] = [own];
  for (const each of above) {
    await using folder = await files.openFolder(each === '' ? '.' : each);
    lists.push(...(await ignoreListIn(files, folder)));
  }
  return lists;
}

/** The list of this very folder; none when it has no ignore file. */
export async function ignoreListIn(
  files: WorktreeFiles,
  folder: OpenedFolder,
): Promise<readonly IgnoreList[]> {
  const opened = await openListed(folder, ignoreFile, maxBytes);
  if (opened === null) return [];
  await using handle = opened;
  return [parsedOnce(files, await handle.readFile('utf8'), folder.path)];
}

type Parsed = { readonly text: string; readonly list: IgnoreList };

/** Every search walks the tree, and its lists seldom change: parsed again only when their text is another. */
const parsed = new WeakMap<WorktreeFiles, Map<string, Parsed>>();
const maxParsed = 500;

function parsedOnce(files: WorktreeFiles, text: string, folder: string): IgnoreList {
  const known = parsed.get(files) ?? new Map<string, Parsed>();
  parsed.set(files, known);
  const before = known.get(folder);
  if (before?.text === text) return before.list;
  const list = parseIgnoreList(text, folder);
  if (known.size >= maxParsed) known.clear();
  known.set(folder, { text, list });
  return list;
}

/** Text of `info/exclude`; empty outside git. A worktree names its repository in a file. */
async function excludedByGit(root: string): Promise<string> {
  const entry = path.join(root, '.git');
  const pointer = /^gitdir: (.+)$/m.exec((await textOf(entry)) ?? '')?.[1];
  const gitDir = pointer === undefined ? entry : path.resolve(root, pointer.trim());
  const common = (await textOf(path.join(gitDir, 'commondir')))?.trim();
  const commonDir = common === undefined ? gitDir : path.resolve(gitDir, common);
  return (await textOf(path.join(commonDir, 'info/exclude'))) ?? '';
}

async function textOf(file: string): Promise<string | null> {
  try {
    const text = await readFile(file, 'utf8');
    return text.length > maxBytes ? null : text;
  } catch {
    // A folder, nothing, or behind a wall of the sandbox: then it says nothing.
    return null;
  }
}

import { readdir } from 'node:fs/promises';
import { isIgnored, type IgnoreList } from '../../../core/text/ignore-list.ts';
import { ignoreListIn, ignoreListsAbove } from './ignored.ts';
import { openListedFolder, type OpenedFolder, type WorktreeFiles } from './worktree-files.ts';

export type WalkEntry = {
  /** From the worktree. */
  readonly path: string;
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  /** The folder it is in, open only until the next entry is asked for. */
  readonly folder: OpenedFolder;
  readonly depth: number;
};

/** Never looked into unless asked for by name: versions, dependencies and caches of tools. */
const skipped = new Set(['.git', 'node_modules', '.venv', '__pycache__', '.loopwright']);
const maxEntries = 100_000;
const maxDepth = 64;

/** Everything below a folder, each folder sorted by name and before what it holds. Links are named, not followed. */
export async function* walk(
  files: WorktreeFiles,
  start: string,
  signal: AbortSignal,
  levels: number = maxDepth,
): AsyncGenerator<WalkEntry> {
  await using root = await files.openFolder(start);
  yield* walkFolder(files, root, 1, { entries: maxEntries, levels }, null, signal);
}

/** The same without what ignore files leave out. The folder it starts in counts as asked for. */
export async function* walkTracked(
  files: WorktreeFiles,
  start: string,
  signal: AbortSignal,
): AsyncGenerator<WalkEntry> {
  await using root = await files.openFolder(start);
  const lists = await ignoreListsAbove(files, root.path);
  yield* walkFolder(files, root, 1, { entries: maxEntries, levels: maxDepth }, lists, signal);
}

async function* walkFolder(
  files: WorktreeFiles,
  folder: OpenedFolder,
  depth: number,
  left: { entries: number; readonly levels: number },
  above: readonly IgnoreList[] | null,
  signal: AbortSignal,
): AsyncGenerator<WalkEntry> {
  const lists = above === null ? null : [...above, ...(await ignoreListIn(files, folder))];
  for (const entry of await listFolder(folder)) {
    signal.throwIfAborted();
    const path = folder.path === '' ? entry.name : `${folder.path}/${entry.name}`;
    if (lists !== null && isIgnored(lists, path, entry.kind === 'folder')) continue;
    left.entries -= 1;
    if (left.entries < 0) return;
    const { name, kind } = entry;
    yield { ...entry, path, folder, depth };
    if (kind !== 'folder' || skipped.has(name) || depth >= left.levels) continue;
    const opened = await openListedFolder(folder, name);
    if (opened === null) continue;
    await using inner = opened;
    yield* walkFolder(files, inner, depth + 1, left, lists, signal);
  }
}

/** What a folder holds, sorted by name. */
export async function listFolder(
  folder: OpenedFolder,
): Promise<readonly Pick<WalkEntry, 'name' | 'kind'>[]> {
  const entries = await readdir(folder.location, { withFileTypes: true });
  return entries
    .map((entry) => ({ name: entry.name, kind: kindOf(entry) }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function kindOf(entry: {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}): WalkEntry['kind'] {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  return entry.isSymbolicLink() ? 'link' : 'other';
}

/** A path on one line: names may hold line breaks and worse. */
export function shownPath(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are what must not be shown raw
  return /[\u0000-\u001F\u007F-\u009F]/.test(text) ? JSON.stringify(text) : text;
}

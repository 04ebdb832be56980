import { chmod, lstat, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { LoopwrightError } from '../../core/error.ts';
import type { FileChanges } from '../../core/loop/changes.ts';
import type { Workspace } from '../../ports/workspace.ts';
import { encodePath, filePath } from '../git/path-bytes.ts';
import {
  changedEntries,
  countChangedLines,
  renderPatch,
  toFolderChanges,
} from './folder-changes.ts';
import type { ChangedEntry } from './folder-changes.ts';
import {
  hasContent,
  ignoredFolders,
  loadManifest,
  readContent,
  takeSnapshot,
} from './folder-manifest.ts';
import type { Entry, Manifest } from './folder-manifest.ts';
import { diskUsage } from './folder-usage.ts';
import { listLinksOut } from './links-out.ts';

/** A loop's files in a folder without git: snapshots are manifests of content hashes, and there are no commits. */
export function createFolderWorkspace(root: string, store: string): Workspace {
  const snapshot = (signal: AbortSignal) => takeSnapshot(root, store, signal);
  return {
    path: root,
    branch: null,
    head: async () => null,
    snapshot,
    touchedSince: () => null,
    changes: async (from, to, signal) => folderChanges(store, from, to, signal),
    restore: async (from, paths, signal) => restorePaths(root, store, from, paths, signal),
    // The files are the user's own.
    restoreTorn: async () => [],
    commit: async (_input, signal) => ({
      commit: null,
      head: null,
      tree: await snapshot(signal),
      headTree: null,
      repaired: [],
      unstored: [],
    }),
    describe: async () => ({ status: '', diff: '', log: '' }),
    writePatch: (from, to, file, signal) => writeFolderPatch(store, from, to, file, signal),
    rebase: async () => {
      throw needsGit('Rebasing');
    },
    detach: async () => {},
    visit: async () => {
      throw needsGit('Merging');
    },
    sync: async () => undefined,
    linksOut: (paths) => listLinksOut(root, paths),
    diskUsage: (signal) => diskUsage(root, signal),
  };
}

export function needsGit(what: string): LoopwrightError {
  return new LoopwrightError('workspace.needs_git', `${what} needs a git repository`, {
    hint: 'Make this folder one: git init && git add -A && git commit -m "first commit"',
  });
}

export async function folderChanges(
  store: string,
  from: string,
  to: string,
  signal: AbortSignal,
): Promise<FileChanges> {
  const changed = changedEntries(await loadManifest(store, from), await loadManifest(store, to));
  const moved = new Set(
    toFolderChanges(changed, 0).renamed.flatMap((pair) => [pair.from, pair.to]),
  );
  let lines = 0;
  for (const change of changed) {
    signal.throwIfAborted();
    if (moved.has(change.path)) continue;
    const { before, after } = await readBoth(store, change);
    lines += countChangedLines(before, after);
  }
  return toFolderChanges(changed, lines);
}

export async function writeFolderPatch(
  store: string,
  from: string,
  to: string,
  file: string,
  signal: AbortSignal,
): Promise<void> {
  const changed = changedEntries(await loadManifest(store, from), await loadManifest(store, to));
  const partial = `${file}.partial`;
  await rm(partial, { recursive: true, force: true });
  await writeFile(partial, '', { flag: 'wx' });
  for (const change of changed) {
    signal.throwIfAborted();
    const { before, after } = await readBoth(store, change);
    await writeFile(partial, renderPatch(change.path, before, after), { flag: 'a' });
  }
  await rename(partial, file);
}

async function readBoth(store: string, { before, after }: ChangedEntry) {
  const read = async (entry: Entry | null) => (entry === null ? null : readContent(store, entry));
  return { before: await read(before), after: await read(after) };
}

async function restorePaths(
  root: string,
  store: string,
  from: string,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const manifest = await loadManifest(store, from);
  const wanted = paths.filter(isInside);
  const entries = manifest.filter(({ path: name }) => wanted.some((one) => isAtOrBelow(name, one)));
  await requireContents(store, entries);
  for (const name of wanted) {
    signal.throwIfAborted();
    if (await parentsAreFolders(root, name))
      await rm(filePath(root, name), { recursive: true, force: true });
  }
  for (const entry of entries) await writeEntry(root, store, entry);
}

/** Checked before anything is deleted. */
async function requireContents(store: string, entries: Manifest): Promise<void> {
  const lost: string[] = [];
  for (const entry of entries) {
    if (!(await hasContent(store, entry))) lost.push(entry.path);
  }
  if (lost.length === 0) return;
  throw new LoopwrightError(
    'workspace.not_restorable',
    `The contents of ${lost.join(', ')} were not kept`,
    {
      hint: 'Files above 10 MB can only be restored in a git repository.',
      details: { files: lost },
    },
  );
}

async function writeEntry(root: string, store: string, entry: Entry): Promise<void> {
  await makeParents(root, entry.path);
  const file = filePath(root, entry.path);
  await rm(file, { recursive: true, force: true });
  if (entry.kind === 'link') {
    await symlink(encodePath(entry.id), file);
    return;
  }
  const content = await readContent(store, entry);
  if (content === null) return;
  await writeFile(file, content, { flag: 'wx' });
  if (entry.executable) await chmod(file, 0o755);
}

/** A link or file that took a folder's place is removed, never followed. */
async function makeParents(root: string, name: string): Promise<void> {
  for (const folder of parents(name)) {
    const found = await lstat(filePath(root, folder)).catch(() => null);
    if (found?.isDirectory() === true) continue;
    await rm(filePath(root, folder), { force: true });
    await mkdir(filePath(root, folder));
  }
}

async function parentsAreFolders(root: string, name: string): Promise<boolean> {
  for (const folder of parents(name)) {
    const found = await lstat(filePath(root, folder)).catch(() => null);
    if (found?.isDirectory() !== true) return false;
  }
  return true;
}

function parents(name: string): readonly string[] {
  const steps = name.split('/').slice(0, -1);
  return steps.map((_, index) => steps.slice(0, index + 1).join('/'));
}

function isInside(name: string): boolean {
  if (name === '' || path.isAbsolute(name)) return false;
  return !name
    .split('/')
    .some((step) => step === '' || step === '.' || step === '..' || ignoredFolders.has(step));
}

function isAtOrBelow(name: string, folder: string): boolean {
  return name === folder || name.startsWith(`${folder}/`);
}

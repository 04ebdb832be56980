import { lstatSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { CarryOver } from '../../ports/workspace.ts';
import { folderIdentity } from '../files/own-folder.ts';
import { smallText } from '../files/small-file.ts';
import { syncToDisk } from '../files/sync-to-disk.ts';
import { isLinkedTo, keepBeside, markPlace } from './own-worktree.ts';
import { loopFolder } from './loop-checkout.ts';
import { listLeft } from './registration.ts';
import { removeFolder } from './remove-folder.ts';

/**
 * git keeps absolute paths in both directions: `worktrees/<name>/gitdir` leads to the worktree, the `.git` file of the worktree
 * leads back. A project that was moved takes both along, and both are wrong there. A copy has the paths of the original.
 */
type LoopEntry = {
  /** Of the folder in `worktrees`. */
  readonly name: string;
  readonly gitDir: string;
  readonly loopId: string;
  /** The path it is registered for. */
  readonly workTree: string;
};

/**
 * After a move: the registrations of loops' worktrees and the worktrees lead to each other again. The user's own worktrees are left to
 * them.
 */
export function carryOver(commonDir: string, { folders, locate, isHeld }: CarryOver): void {
  for (const entry of listLoopEntries(commonDir)) {
    const folder = locate(entry.workTree);
    if (isHeld(entry.loopId) || !leadsBack(folder, entry, locate)) continue;
    point(entry, folder);
    if (folderIdentity(loopFolder(entry.gitDir, entry.loopId)) !== null)
      markPlace(entry.gitDir, entry.loopId, folder);
  }
  for (const folder of listLoopFolders(folders)) {
    const target = targetOf(folder);
    const now = target === null || isHeld(path.basename(folder)) ? target : locate(target);
    // Its registration is gone: git has pruned it. Opening the worktree adopts what leads here.
    if (now !== null && now !== target && path.dirname(now) === path.join(commonDir, 'worktrees'))
      replaceSynced(path.join(folder, '.git'), `gitdir: ${now}\n`);
  }
}

/**
 * The same for one worktree that is opened and registered under another path, which is gone or another view of the same folder.
 * A registration that leads to a folder of its own is another project's business. Answers what was done.
 */
export function carryOne(commonDir: string, loopId: string, folder: string): readonly string[] {
  const name = path.basename(folder);
  const [entry] = loopEntry(commonDir, name);
  if (entry === undefined || entry.loopId !== loopId || entry.workTree === folder) return [];
  const there = statSync(entry.workTree, { throwIfNoEntry: false, bigint: true });
  const here = statSync(folder, { throwIfNoEntry: false, bigint: true });
  const isOther = there !== undefined && (there.dev !== here?.dev || there.ino !== here.ino);
  if (isOther || !leadsTo(folder, name)) return [];
  point(entry, folder);
  markPlace(entry.gitDir, loopId, folder);
  return ['worktree moved with its project, registered at its new place'];
}

/**
 * In a copy: what git knows of loops' worktrees leads to the original's, so it is forgotten; the commits are on their branches. Files
 * of worktrees that were copied along in `folders` are kept beside, since nothing says whether they are whole; used ones in the pool
 * are removed. Answers what is kept.
 */
export async function partFromOriginal(
  commonDir: string,
  folders: readonly string[],
): Promise<readonly string[]> {
  for (const { gitDir, name } of listLoopEntries(commonDir)) {
    const out = path.join(commonDir, `loopwright-gone-${name}`);
    rmSync(out, { recursive: true, force: true });
    renameSync(gitDir, out);
    rmSync(out, { recursive: true, force: true });
  }
  // What was being made or removed there is the original's too.
  for (const left of await listLeft(commonDir)) rmSync(left.dir, { recursive: true, force: true });
  const kept: string[] = [];
  for (const folder of folders) await removeFolder(path.join(folder, '.pool'));
  for (const folder of listLoopFolders(folders)) {
    // It leads to the original: git must not be able to follow it.
    if (targetOf(folder) !== null) rmSync(path.join(folder, '.git'), { force: true });
    if (isThrowaway(folder) || readdirSync(folder).length === 0) await removeFolder(folder);
    else kept.push(await keepBeside(folder));
  }
  return kept;
}

function listLoopFolders(folders: readonly string[]): readonly string[] {
  return folders
    .filter((folder) => folderIdentity(folder) !== null)
    .flatMap((folder) => readdirSync(folder).map((name) => path.join(folder, name)))
    .filter((each) => ofLoop.test(path.basename(each)) && folderIdentity(each) !== null);
}

const ofLoop = /^loop-[0-9a-f]{8}(-[a-z0-9-]+)?$/;

/** Such as the worktree of a baseline: made for one look, and made anew for the next. */
function isThrowaway(folder: string): boolean {
  return ofLoop.exec(path.basename(folder))?.[1] !== undefined;
}

/** Whether a project at another root uses this very repository, as linked worktrees of one do. */
export function isRepositoryOf(commonDir: string, root: string): boolean {
  const dotGit = path.join(root, '.git');
  const text = smallText(dotGit);
  const gitDir =
    text?.startsWith('gitdir: ') === true
      ? path.resolve(root, text.slice('gitdir: '.length).trim())
      : dotGit;
  const common = path.resolve(gitDir, smallText(path.join(gitDir, 'commondir'))?.trim() ?? '.');
  const identity = folderIdentity(common);
  return identity !== null && identity === folderIdentity(commonDir);
}

/** Entries of loops: those with the engine's own folder in them. */
function listLoopEntries(commonDir: string): readonly LoopEntry[] {
  const folder = path.join(commonDir, 'worktrees');
  if (folderIdentity(folder) === null) return [];
  return readdirSync(folder).flatMap((name) => loopEntry(commonDir, name));
}

function loopEntry(commonDir: string, name: string): readonly LoopEntry[] {
  const gitDir = path.join(commonDir, 'worktrees', name);
  const loopId = loopOf(gitDir);
  const text = smallText(path.join(gitDir, 'gitdir'))?.trim() ?? '';
  if (loopId === null || text === '') return [];
  return [{ name, gitDir, loopId, workTree: path.dirname(path.resolve(gitDir, text)) }];
}

/** One whose engine was killed before it made its folder is known by its branch. */
function loopOf(gitDir: string): string | null {
  if (folderIdentity(gitDir) === null) return null;
  const own = path.join(gitDir, 'loopwright');
  const [loopId] = folderIdentity(own) === null ? [] : readdirSync(own);
  if (loopId !== undefined) return loopId;
  const head = smallText(path.join(gitDir, 'HEAD'))?.trim() ?? '';
  const branch = 'ref: refs/heads/loopwright/';
  return head.startsWith(branch) ? head.slice(branch.length) : null;
}

/** Whether a folder is the worktree of that entry, as both were before the move or are now. */
function leadsBack(
  folder: string,
  { gitDir, name }: LoopEntry,
  locate: (recorded: string) => string,
): boolean {
  if (isLinkedTo(folder, gitDir)) return true;
  const target = targetOf(folder);
  return target !== null && locate(target) === gitDir && leadsTo(folder, name);
}

/** By the name of the entry alone. */
function leadsTo(folder: string, name: string): boolean {
  const target = targetOf(folder);
  return target !== null && target.endsWith(`/worktrees/${name}`);
}

function targetOf(folder: string): string | null {
  const file = path.join(folder, '.git');
  if (folderIdentity(folder) === null) return null;
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) return null;
  const text = smallText(file) ?? '';
  return text.startsWith('gitdir: ') ? text.slice('gitdir: '.length).trim() : null;
}

function point({ gitDir }: LoopEntry, folder: string): void {
  replaceSynced(path.join(gitDir, 'gitdir'), `${path.join(folder, '.git')}\n`);
  replaceSynced(path.join(folder, '.git'), `gitdir: ${gitDir}\n`);
}

/** Old or new, never half: git reads it at any moment. */
function replaceSynced(file: string, text: string): void {
  if (smallText(file) === text) return;
  const beside = `${file}.loopwright-new`;
  rmSync(beside, { recursive: true, force: true });
  writeFileSync(beside, text, { flag: 'wx' });
  syncToDisk(beside);
  renameSync(beside, file);
  syncToDisk(path.dirname(file));
}

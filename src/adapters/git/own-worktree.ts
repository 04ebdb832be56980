import { lstatSync } from 'node:fs';
import { lstat, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { LoopwrightError } from '../../core/error.ts';
import { firstInTheWay, folderIdentity, standsInTheWay } from '../files/own-folder.ts';
import { smallText } from '../files/small-file.ts';
import { replaceText } from './ignore-rules.ts';
import { loopFolder } from './loop-checkout.ts';

/**
 * Whose the folder at a worktree's path is. Its inode is kept in the git folder of the worktree from the moment it was made; a
 * folder is renamed within one device only, so it must also be on that of the folder around it (numbers of devices can
 * change when a machine starts again).
 */
export type Standing = 'absent' | 'ours' | 'foreign';

export function markPlace(gitDir: string, loopId: string, folder: string): void {
  replaceText(placeFile(gitDir, loopId), inodeOf(folder) ?? '');
}

export async function standingOf(
  gitDir: string,
  loopId: string,
  folder: string,
): Promise<Standing> {
  const found = await lstat(folder).catch(() => null);
  if (found === null) return 'absent';
  if (!found.isDirectory()) return 'foreign';
  const marked = readMark(gitDir, loopId);
  if (marked !== null && marked !== '') return inodeOf(folder) === marked ? 'ours' : 'foreign';
  // Made by an engine that was killed before it could note it.
  if (isLinkedTo(folder, gitDir)) return 'ours';
  return (await readdir(folder)).length === 0 ? 'absent' : 'foreign';
}

/** Whether a worktree was made to the end: from then on its files are the loop's work. */
export function isReady(gitDir: string, loopId: string): boolean {
  const file = path.join(loopFolder(gitDir, loopId), 'ready');
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

/** Whether the folder has a `.git` file, not a link to one, that leads to that git folder. */
export function isLinkedTo(folder: string, gitDir: string): boolean {
  const file = path.join(folder, '.git');
  if (folderIdentity(folder) === null) return false;
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false;
  return pointsTo(smallText(file) ?? '', folder, gitDir);
}

function pointsTo(gitFileText: string, workTree: string, gitDir: string): boolean {
  const target = gitFileText.startsWith('gitdir: ')
    ? gitFileText.slice('gitdir: '.length).trim()
    : '';
  return target !== '' && path.resolve(workTree, target) === gitDir;
}

const asideMark = '.replaced-';

/** Whether a folder among the worktrees is one that was kept when it stood in place of one. */
export function isSetAside(name: string): boolean {
  return name.includes(asideMark);
}

/** Makes room for the worktree. A link goes, as it holds nothing; everything else is kept beside. Answers what was done. */
export async function setAside(folder: string): Promise<string> {
  const found = await lstat(folder);
  if (found.isSymbolicLink()) {
    await rm(folder, { force: true });
    return 'a link stood in place of the worktree and was removed; nothing behind it was touched';
  }
  const target = await keepBeside(folder);
  return `what stood in place of the worktree was not the loop's, it is kept in ${target}`;
}

/** Renames a folder so that its place is free. Answers the new path. */
export async function keepBeside(folder: string): Promise<string> {
  for (let number = 1; ; number++) {
    const target = `${folder}${asideMark}${number}`;
    if ((await lstat(target).catch(() => null)) !== null) continue;
    await rename(folder, target);
    return target;
  }
}

/** The folders between the project and its worktrees are the engine's: one that is a link was put there by somebody else. */
export function requireOwnParents(root: string, stateFolder: string, folder: string): void {
  if (!folder.startsWith(`${path.join(root, stateFolder)}${path.sep}`)) return;
  refuseInTheWay(firstInTheWay(root, path.dirname(folder)));
}

/** The same for where git keeps what belongs to worktrees. */
export function requireOwnRegistry(commonDir: string): void {
  const folder = path.join(commonDir, 'worktrees');
  refuseInTheWay(standsInTheWay(folder) ? folder : null);
}

/** `found` is something that is not a folder, in a folder's place; null when there is nothing. */
export function refuseInTheWay(found: string | null): void {
  if (found === null) return;
  throw new LoopwrightError(
    'workspace.linked',
    `${found} is a link or a file where a folder of Loopwright's own belongs; nothing was touched`,
    {
      hint: `look where it leads, then remove it: \`rm ${found}\`. For worktrees elsewhere set workspace.dir.`,
    },
  );
}

function placeFile(gitDir: string, loopId: string): string {
  return path.join(loopFolder(gitDir, loopId), 'place');
}

function readMark(gitDir: string, loopId: string): string | null {
  try {
    if (firstInTheWay(gitDir, loopFolder(gitDir, loopId)) !== null) return null;
    return smallText(placeFile(gitDir, loopId))?.trim() ?? null;
  } catch {
    // None, or something that cannot be read: the folder has to speak for itself.
    return null;
  }
}

/** Null when it is no folder, a link to one, or a disk of its own. */
export function inodeOf(folder: string): string | null {
  const options = { bigint: true, throwIfNoEntry: false } as const;
  const found = lstatSync(folder, options);
  const around = lstatSync(path.dirname(folder), options);
  return found?.isDirectory() === true && found.dev === around?.dev ? String(found.ino) : null;
}

import { closeSync, fstatSync, lstatSync, readSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { openPlainFile, smallText } from '../files/small-file.ts';
import { syncToDisk } from '../files/sync-to-disk.ts';
import { indexFault } from './damaged-index.ts';
import { loopFolder } from './loop-checkout.ts';
import type { Registry, WorktreeSpec } from './make-worktree.ts';
import { isLinkedTo, isReady } from './own-worktree.ts';
import { commonDirText, folderOf, gitDirText, headText, replaceSynced } from './registration.ts';
import { isObjectId } from './repository.ts';
import type { Repository } from './repository.ts';

/** A file of a registration that git cannot read, or takes for something else. */
export type BrokenFile = 'commondir' | 'gitdir' | 'HEAD' | 'index';

/**
 * Which files of a registration are missing, empty or filled with something else: after a power cut, or by a killed git.
 * An index may be missing, unless the worktree is known to have had one.
 */
export async function brokenFiles(
  repository: Repository,
  gitDir: string,
  hadIndex: boolean,
  signal: AbortSignal,
): Promise<readonly BrokenFile[]> {
  const { commonDir } = repository.main;
  const broken: BrokenFile[] = [];
  if (!leadsTo(gitDir, commonDir)) broken.push('commondir');
  if (folderOf(gitDir) === null) broken.push('gitdir');
  const head = smallText(path.join(gitDir, 'HEAD'))?.trim() ?? '';
  if (!isObjectId(head) && !/^ref: refs\/[^\s\0]+$/.test(head)) broken.push('HEAD');
  const look = lookAtIndex(path.join(gitDir, 'index'));
  const isBroken =
    look === 'broken' ||
    (look === 'missing' && hadIndex) ||
    (look === 'unsure' && broken.length === 0 && (await isUnreadable(repository, gitDir, signal)));
  if (isBroken) broken.push('index');
  return broken;
}

function leadsTo(gitDir: string, commonDir: string): boolean {
  const text = smallText(path.join(gitDir, 'commondir'))?.trim() ?? '';
  if (text === '' || text.includes('\0')) return false;
  try {
    return realpathSync(path.resolve(gitDir, text)) === realpathSync(commonDir);
  } catch {
    return false;
  }
}

async function isUnreadable(
  repository: Repository,
  gitDir: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { commonDir } = repository.main;
  return (
    (await indexFault(repository, { gitDir, commonDir, workTree: commonDir }, signal)) !== null
  );
}

const headerBytes = 12;
const hashBytes = 20;

/** `unsure`: the hash at its end is zero, which a setting of git allows and a power cut leaves behind. */
function lookAtIndex(file: string): 'fine' | 'missing' | 'broken' | 'unsure' {
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return 'missing';
  const handle = openPlainFile(file);
  if (handle === null) return 'broken';
  try {
    const { size } = fstatSync(handle);
    if (size < headerBytes + hashBytes) return 'broken';
    const header = Buffer.alloc(headerBytes);
    readSync(handle, header, 0, headerBytes, 0);
    const version = header.readUInt32BE(4);
    if (header.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 4) return 'broken';
    const tail = Buffer.alloc(hashBytes);
    readSync(handle, tail, 0, hashBytes, size - hashBytes);
    return tail.some((byte) => byte !== 0) ? 'fine' : 'unsure';
  } finally {
    closeSync(handle);
  }
}

/** A registration of a loop, with what has to be known to write it again. */
export type OwnRegistration = {
  readonly gitDir: string;
  readonly folder: string;
  readonly branch: string;
};

/** Writes again what is known: where the repository is, where the worktree is, and which branch. Files stay as they are. */
export async function repairRegistration(
  repository: Repository,
  { gitDir, folder, branch }: OwnRegistration,
  broken: readonly BrokenFile[],
  signal: AbortSignal,
): Promise<void> {
  const texts = {
    // First, as without it the user's own git fails.
    commondir: commonDirText,
    gitdir: gitDirText(folder),
    HEAD: headText(branch),
  };
  for (const [name, text] of Object.entries(texts)) {
    if (broken.some((each) => each === name)) await replaceSynced(path.join(gitDir, name), text);
  }
  if (broken.includes('index')) {
    await rm(path.join(gitDir, 'index'), { recursive: true, force: true });
    const at = { gitDir, commonDir: repository.main.commonDir, workTree: null };
    // Without a commit that can be read there is no index, and git takes that for an empty one.
    await repository.run({ at, args: ['read-tree', 'HEAD'], signal });
  }
  syncToDisk(gitDir);
}

/** The registration of a loop that is being opened or removed, if it is broken. Answers what was done. */
export async function mendOwnRegistration(
  { repository }: Registry,
  { loopId, branch }: WorktreeSpec,
  folder: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const gitDir = path.join(repository.main.commonDir, 'worktrees', path.basename(folder));
  if (lstatSync(gitDir, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  const broken = await brokenFiles(repository, gitDir, isReady(gitDir, loopId), signal);
  const named = folderOf(gitDir);
  if (broken.length === 0) return [];
  const isOurs =
    named === folder ||
    isLinkedTo(folder, gitDir) ||
    lstatSync(loopFolder(gitDir, loopId), { throwIfNoEntry: false }) !== undefined ||
    // Cut when git had made no more than the folder; nobody else calls a worktree so.
    named === null;
  if (!isOurs) return [];
  await repairRegistration(repository, { gitDir, folder, branch }, broken, signal);
  return isReady(gitDir, loopId) ? [repairedText(broken)] : [];
}

function repairedText(broken: readonly BrokenFile[]): string {
  return `registration of the worktree written again: ${broken.join(', ')}`;
}

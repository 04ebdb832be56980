import { existsSync } from 'node:fs';
import {
  copyFile,
  lstat,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  rmdir,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { LoopwrightError } from '../../core/error.ts';
import type { Reach } from '../../ports/failpoint.ts';
import { smallText } from '../files/small-file.ts';
import { syncToDisk } from '../files/sync-to-disk.ts';
import { markMaker } from './maker.ts';
import { loopFolder } from './loop-checkout.ts';
import {
  inodeOf,
  isLinkedTo,
  markPlace,
  refuseInTheWay,
  requireOwnRegistry,
  standingOf,
} from './own-worktree.ts';
import { removeFolder } from './remove-folder.ts';
import type { Repository } from './repository.ts';
import { standsInTheWay } from '../files/own-folder.ts';

/**
 * The one place that registers worktrees with git and takes them out again. git reads every folder in `worktrees/` for
 * almost every command, also those of the user, and dies where it finds half of one. So a registration is made whole in
 * `<common>/loopwright/registering-<name>` and renamed into `worktrees/`; it is renamed to `leaving-<name>` before
 * anything of it or of the worktree is deleted. Both lie as deep as `worktrees/<name>`, so that `commondir` is right in
 * either place. What a killed process leaves there is finished by the next one (`finishLeft`).
 */
export type NewRegistration = {
  readonly loopId: string;
  readonly branch: string;
  /** Where the worktree is. It is made if it is not there; files in it stay as they are. */
  readonly folder: string;
  /** A folder that becomes the worktree by being renamed, as soon as it is written down whose it is. */
  readonly source?: string;
  /** The folder and its files are older than this registration, and stay if it does not come about. */
  readonly isAdopted: boolean;
  /** What has to be there before git sees the registration, such as the branch. `made` is its git folder at that time. */
  readonly prepare: (made: string) => Promise<void>;
};

const madePrefix = 'registering-';
const leftPrefix = 'leaving-';

/** Answers the git folder of the worktree. Its index is empty and no file is written. */
export async function registerWorktree(
  repository: Repository,
  registration: NewRegistration,
  reach: Reach,
  signal: AbortSignal,
): Promise<string> {
  const { commonDir } = repository.main;
  const { folder, source } = registration;
  requireOwnPlaces(commonDir);
  if (source === undefined) await mkdir(folder, { recursive: true });
  const made = path.join(commonDir, 'loopwright', `${madePrefix}${path.basename(folder)}`);
  await writeRegistration(repository, registration, made, signal);
  if (source !== undefined) await rename(source, folder);
  await registration.prepare(made);
  await reach('before:register-worktree');
  const gitDir = await moveIn(commonDir, made, folder);
  syncToDisk(path.dirname(gitDir));
  await dropEmpty(path.dirname(made));
  await reach('after:register-worktree');
  return gitDir;
}

async function writeRegistration(
  repository: Repository,
  { loopId, branch, folder, source, isAdopted }: NewRegistration,
  made: string,
  signal: AbortSignal,
): Promise<void> {
  await rm(made, { recursive: true, force: true });
  await mkdir(loopFolder(made, loopId), { recursive: true });
  markMaker(made, loopId);
  if (!isAdopted) markPlace(made, loopId, source ?? folder);
  await copyCheckoutSettings(repository, made, signal);
  await writeFile(path.join(made, 'commondir'), commonDirText);
  await writeFile(path.join(made, 'gitdir'), gitDirText(folder));
  await writeHead(repository, made, branch, signal);
  await syncAll([...['commondir', 'gitdir', 'HEAD'].map((name) => path.join(made, name)), made]);
}

export const commonDirText = '../..\n';

export function gitDirText(folder: string): string {
  return `${path.join(folder, '.git')}\n`;
}

export function headText(branch: string): string {
  return `ref: refs/heads/${branch}\n`;
}

/** In a repository that keeps its refs in tables only git itself can write HEAD. */
async function writeHead(
  repository: Repository,
  made: string,
  branch: string,
  signal: AbortSignal,
): Promise<void> {
  const { commonDir } = repository.main;
  const inTables = existsSync(path.join(commonDir, 'reftable'));
  const text = inTables ? headText('.invalid') : headText(branch);
  await writeFile(path.join(made, 'HEAD'), text);
  if (!inTables) return;
  await mkdir(path.join(made, 'reftable'));
  const at = { gitDir: made, commonDir, workTree: null };
  await repository.output({ at, args: ['symbolic-ref', 'HEAD', `refs/heads/${branch}`], signal });
}

/** What `git worktree add` takes along from the user's checkout: its sparse patterns and its own configuration. */
async function copyCheckoutSettings(
  repository: Repository,
  made: string,
  signal: AbortSignal,
): Promise<void> {
  const { gitDir, commonDir } = repository.main;
  const patterns = path.join(gitDir, 'info', 'sparse-checkout');
  if (await isFile(patterns)) {
    await mkdir(path.join(made, 'info'));
    await copyFile(patterns, path.join(made, 'info', 'sparse-checkout'));
  }
  const config = smallText(path.join(commonDir, 'config'), 'latin1', longestConfig) ?? '';
  const own = path.join(gitDir, 'config.worktree');
  if (!config.toLowerCase().includes('worktreeconfig') || !(await isFile(own))) return;
  const copy = path.join(made, 'config.worktree');
  await copyFile(own, copy);
  for (const key of ['core.bare', 'core.worktree']) {
    // Exit code 5 says that there is no such entry.
    await repository.run({ args: ['config', '--file', copy, '--unset-all', key], signal });
  }
}

const longestConfig = 4 * 1024 * 1024;

async function isFile(file: string): Promise<boolean> {
  return (await lstat(file).catch(() => null))?.isFile() === true;
}

/** A name that somebody else's worktree has gets a number behind, as git does it. */
async function moveIn(commonDir: string, made: string, folder: string): Promise<string> {
  for (let number = 0; number < mostNames; number++) {
    const name = `${path.basename(folder)}${number === 0 ? '' : number}`;
    const gitDir = path.join(commonDir, 'worktrees', name);
    if ((await lstat(gitDir).catch(() => null)) !== null) continue;
    await linkFolder(folder, gitDir);
    if (await tryRename(made, gitDir)) return gitDir;
  }
  throw new LoopwrightError(
    'git.failed',
    `no free name for ${path.basename(folder)} in ${path.join(commonDir, 'worktrees')}`,
  );
}

const mostNames = 1000;

/** Writes the `.git` of a worktree. */
export async function linkFolder(folder: string, gitDir: string): Promise<void> {
  if (isLinkedTo(folder, gitDir)) return;
  const file = path.join(folder, '.git');
  await replaceSynced(file, `gitdir: ${gitDir}\n`);
}

/** At no moment is the file absent, empty or half written. */
export async function replaceSynced(file: string, text: string): Promise<void> {
  const partial = `${file}.partial`;
  await rm(partial, { recursive: true, force: true });
  await writeFile(partial, text, { flag: 'wx' });
  syncToDisk(partial);
  await rename(partial, file).catch(async (error: unknown) => {
    // A folder in its place cannot be replaced at a stroke.
    if (!isCode(error, 'EISDIR')) throw error;
    await rm(file, { recursive: true, force: true });
    await rename(partial, file);
  });
}

/** False when the place is taken. Another engine may be removing `worktrees`, which is empty, at this very moment. */
async function tryRename(from: string, to: string): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    await mkdir(path.dirname(to), { recursive: true });
    try {
      await rename(from, to);
      return true;
    } catch (error) {
      if (isCode(error, 'ENOTEMPTY', 'EEXIST', 'ENOTDIR')) return false;
      const isSourceThere = (await lstat(from).catch(() => null)) !== null;
      if (attempt === 20 || !isCode(error, 'ENOENT') || !isSourceThere) throw error;
    }
  }
}

/**
 * Takes a worktree out of git's sight in one step, its folder with it: answers where its git folder is now. The caller
 * deletes the folder, then calls `dropLeft`. Null: it was not registered.
 */
export async function unregisterWorktree(
  commonDir: string,
  gitDir: string,
  loopId: string,
  reach: Reach,
): Promise<string | null> {
  requireOwnPlaces(commonDir);
  if ((await lstat(gitDir).catch(() => null)) === null) return null;
  await mkdir(loopFolder(gitDir, loopId), { recursive: true });
  markMaker(gitDir, loopId);
  await reach('before:unregister-worktree');
  const left = await moveOut(commonDir, gitDir);
  // Not the folder it was in: another engine may have removed that, empty as it was.
  syncToDisk(path.dirname(left));
  await dropEmpty(path.dirname(gitDir));
  await reach('after:unregister-worktree');
  return left;
}

async function moveOut(commonDir: string, gitDir: string): Promise<string> {
  for (let number = 0; number < mostNames; number++) {
    const name = `${leftPrefix}${path.basename(gitDir)}${number === 0 ? '' : `.${number}`}`;
    const left = path.join(commonDir, 'loopwright', name);
    if (await tryRename(gitDir, left)) return left;
  }
  throw new LoopwrightError('git.failed', `${gitDir} could not be moved away`);
}

export async function dropLeft(left: string): Promise<void> {
  await removeFolder(left);
  await dropEmpty(path.dirname(left));
}

/** What a process did not come to the end of: making a registration or removing one. */
export type LeftRegistration = {
  readonly dir: string;
  /** Null when it was cut before that was written. */
  readonly loopId: string | null;
  readonly folder: string | null;
};

export async function listLeft(commonDir: string): Promise<readonly LeftRegistration[]> {
  const parent = path.join(commonDir, 'loopwright');
  if (standsInTheWay(parent)) return [];
  const names = await readdir(parent).catch(() => []);
  const found: LeftRegistration[] = [];
  for (const name of names.toSorted((a, b) => (a < b ? -1 : 1))) {
    if (!name.startsWith(madePrefix) && !name.startsWith(leftPrefix)) continue;
    const dir = path.join(parent, name);
    found.push({ dir, loopId: await loopOf(dir), folder: folderOf(dir) });
  }
  return found;
}

/** The loop a git folder of a worktree belongs to, by what the engine keeps in it. */
export async function loopOf(gitDir: string): Promise<string | null> {
  const names = await readdir(path.join(gitDir, 'loopwright')).catch(() => []);
  return names[0] ?? null;
}

/** The worktree that a registration names; null when it cannot be read. */
export function folderOf(gitDir: string): string | null {
  const text = smallText(path.join(gitDir, 'gitdir'))?.trim() ?? '';
  const isPath = text !== '' && !text.includes('\0') && path.basename(text) === '.git';
  return isPath ? path.dirname(path.resolve(gitDir, text)) : null;
}

/** Removes it, with the folder if that is still the one it was made for. The caller has seen that its process is gone. */
export async function finishLeft({ dir, loopId, folder }: LeftRegistration): Promise<void> {
  if (loopId !== null && folder !== null) {
    const marked = inodeOf(folder) !== null && (await standingOf(dir, loopId, folder)) === 'ours';
    if (marked) await removeFolder(folder);
  }
  await dropLeft(dir);
}

async function syncAll(targets: readonly string[]): Promise<void> {
  await Promise.all(
    targets.map(async (target) => {
      await using handle = await open(target, 'r');
      await handle.sync();
    }),
  );
}

/** Links in place of where registrations are made would lead what is written elsewhere. */
function requireOwnPlaces(commonDir: string): void {
  requireOwnRegistry(commonDir);
  const folder = path.join(commonDir, 'loopwright');
  refuseInTheWay(standsInTheWay(folder) ? folder : null);
}

/** Nothing of ours stays where there is nothing to keep. Another engine may be writing there: then it is not empty. */
async function dropEmpty(folder: string): Promise<void> {
  await rmdir(folder).catch(() => undefined);
}

export function isCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

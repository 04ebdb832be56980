import { mkdir, readdir, readFile, rename, rm, stat, lstat } from 'node:fs/promises';
import path from 'node:path';
import { folderIdentity, standsInTheWay } from '../files/own-folder.ts';
import type { Checkout } from './git.ts';
import { gitFailed } from './git.ts';
import { plainFiles } from './plain-files.ts';
import { inodeOf } from './own-worktree.ts';
import { removeFolder } from './remove-folder.ts';
import type { Repository } from './repository.ts';
import { wallClockMs } from '../clock/wall-clock.ts';

/**
 * Files of worktrees that loops have left, for the next ones: bringing the few that differ to another commit is faster
 * than writing all. Only files are kept. Index, branch, configuration and everything else of git's own is made anew with
 * each worktree, every file is compared with the commit by its content, and what is not in the commit is removed.
 *
 * A folder is in one of three states: parked (`<loop id>.<inode>`), taken (`taken-<loop id>.<inode>`), or a worktree. It goes from
 * one to the next by being renamed, so a crash leaves it in one of them, and of two engines one gets it. A name whose inode
 * is another one's, or a link's, was put there by somebody else: it is neither used nor deleted.
 */
export function poolFolder(worktree: string): string {
  return path.join(path.dirname(worktree), '.pool');
}

const takenPrefix = 'taken-';

/** One that was taken this long ago was left by an engine that died. */
const staleMs = 3_600_000;

export type PooledFolder = {
  readonly name: string;
  readonly inode: string;
  readonly isTaken: boolean;
};

export async function listPool(pool: string): Promise<readonly PooledFolder[]> {
  if (folderIdentity(pool) === null) return [];
  const names = await readdir(pool).catch(() => []);
  return names
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map((name) => ({
      name,
      inode: name.slice(name.lastIndexOf('.') + 1),
      isTaken: name.startsWith(takenPrefix),
    }))
    .filter(({ name, inode }) => inodeOf(path.join(pool, name)) === inode);
}

function nameFor(loop: string, inode: string, prefix = ''): string {
  return `${prefix}${loop}.${inode}`;
}

/** Takes the files of a worktree into the pool; false when it is not fit for it or there is no room. Nothing is lost then. */
export async function parkFiles(
  repository: Repository,
  at: Checkout & { readonly workTree: string },
  most: number,
  signal: AbortSignal,
): Promise<boolean> {
  const folder = at.workTree;
  const pool = poolFolder(folder);
  if (most === 0 || standsInTheWay(pool) || !(await isFit(repository, folder))) return false;
  const parked = (await listPool(pool)).filter(({ isTaken }) => !isTaken);
  if (parked.length >= most) return false;
  const cleaned = await repository.run({ at, args: cleanAll, signal }).catch(() => null);
  signal.throwIfAborted();
  if (cleaned?.exitCode !== 0) return false;
  await rm(path.join(folder, '.git'), { recursive: true, force: true });
  await mkdir(pool, { recursive: true });
  const inode = inodeOf(folder);
  if (inode === null) return false;
  const isParked = await rename(
    folder,
    path.join(pool, nameFor(path.basename(folder), inode)),
  ).then(
    () => true,
    () => false,
  );
  await trimPool(pool, most);
  return isParked;
}

/** Untracked files, ignored ones and repositories in between. */
const cleanAll = ['clean', '-ffdxq'];

/** Several may have been parked at once; what a dead engine had taken goes as well. */
async function trimPool(pool: string, most: number): Promise<void> {
  const all = await listPool(pool);
  const parked = all.filter(({ isTaken }) => !isTaken);
  const stale: PooledFolder[] = [];
  for (const each of all.filter(({ isTaken }) => isTaken)) {
    const found = await stat(path.join(pool, each.name)).catch(() => null);
    if (found !== null && wallClockMs() - found.ctimeMs > staleMs) stale.push(each);
  }
  for (const { name } of [...parked.slice(most), ...stale]) {
    await removeFolder(path.join(pool, name));
  }
}

/**
 * Where conversions, sparse checkouts or submodules come in, a file can differ from what a fresh checkout would write and
 * still count as unchanged.
 */
async function isFit({ main, user }: Repository, folder: string): Promise<boolean> {
  const special = ['.gitattributes', '.gitmodules'].map((name) => path.join(folder, name));
  const attributes = path.join(main.commonDir, 'info/attributes');
  const found = await Promise.all(
    [...special, attributes].map((file) => lstat(file).catch(() => null)),
  );
  if (found.some((each) => each !== null)) return false;
  const own = await readFile(path.join(main.commonDir, 'config'), 'latin1').catch(() => '');
  const words = [own, ...user.config.map(([key]) => key)].join('\n').toLowerCase();
  return !['autocrlf', 'eol', 'sparse', 'worktreeconfig'].some((word) => words.includes(word));
}

/** Files out of the pool, claimed for one loop; null when there are none. */
export async function takeFiles(folder: string): Promise<string | null> {
  const pool = poolFolder(folder);
  const loop = path.basename(folder);
  const all = await listPool(pool);
  for (const { name, inode, isTaken } of all) {
    // Left by an engine that was killed while it made this very worktree.
    if (isTaken && name === nameFor(loop, inode, takenPrefix))
      await removeFolder(path.join(pool, name));
  }
  for (const { name, inode, isTaken } of all) {
    if (isTaken) continue;
    const mine = path.join(pool, nameFor(loop, inode, takenPrefix));
    const isMine = await rename(path.join(pool, name), mine).then(
      () => true,
      () => false,
    );
    if (isMine && inodeOf(mine) === inode) return mine;
  }
  return null;
}

/** Makes the files those of HEAD, exactly. Throws when that cannot be done; then the worktree is of no use. */
export async function resetFiles(
  repository: Repository,
  at: Checkout & { readonly workTree: string },
  signal: AbortSignal,
): Promise<void> {
  await plainFiles(at.workTree);
  // Whatever its size and times say, a file counts as unchanged only by its content.
  const refresh = ['update-index', '-q', '--really-refresh'];
  await repository.run({ at, args: ['read-tree', 'HEAD'], then: { args: refresh }, signal });
  const write = ['read-tree', '--reset', '-u', 'HEAD'];
  await repository.output({ at, args: cleanAll, then: { args: write }, signal });
  const args = ['status', '--porcelain', '--ignored', '--untracked-files=all'];
  const attributes = { args: ['ls-files', '--', ':(glob)**/.gitattributes', '.gitmodules'] };
  const env = { GIT_LITERAL_PATHSPECS: '0' };
  const result = await repository.run({ at, args, then: attributes, env, signal });
  const left = result.stdout.toString('utf8').trim();
  if (result.exitCode !== 0 || left !== '') throw gitFailed(args, { ...result, stderr: left });
}

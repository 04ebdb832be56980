import { lstat, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { isFreeSoon, listLocks, listRefLocks } from '../../adapters/git/lock-files.ts';
import { keptPrefix, stashMark } from '../../adapters/git/loop-checkout.ts';
import type { Repository } from '../../adapters/git/repository.ts';
import { isSetAside } from '../../adapters/git/own-worktree.ts';
import { listPool, poolFolder } from '../../adapters/git/worktree-pool.ts';
import { listLinkedCheckouts } from '../../adapters/git/linked-checkouts.ts';
import { throwawayOwner } from '../../core/loop/throwaway.ts';
import { formatAge } from '../render/format.ts';
import { ok, warn, type Check } from './doctor-check.ts';

const prefix = 'refs/heads/loopwright/';
const shown = 5;

/** Worktrees and branches under our prefix that no stored loop knows, and work whose branch is gone. */
export async function checkOrphans(
  repository: Repository,
  loops: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<readonly Check[]> {
  const branches = await refsBelow(repository, prefix, signal);
  const kept = await refsBelow(repository, keptPrefix, signal);
  const dropped = kept.filter((name) => !branches.includes(name.split(stashMark)[0] ?? name));
  const worktrees = await loopWorktrees(repository);
  // Throwaway ones are among the registrations.
  const isLost = (id: string) => !loops.has(id) && throwawayOwner(id) === null;
  const lostBranches = branches.filter(isLost);
  const lostWorktrees = worktrees.filter(({ loop }) => isLost(loop));
  return [
    lostWorktrees.length === 0
      ? ok('worktrees', worktrees.length === 0 ? 'none' : `${worktrees.length}, all of known loops`)
      : warn(
          'worktrees',
          `no loop knows ${list(lostWorktrees.map(({ folder }) => folder))}`,
          `look into it, then \`git worktree remove --force ${lostWorktrees[0]?.folder ?? ''}\``,
        ),
    lostBranches.length === 0
      ? ok('branches', branches.length === 0 ? 'none' : `${branches.length}, all of known loops`)
      : warn(
          'branches',
          `no loop knows ${list(lostBranches.map((name) => `loopwright/${name}`))}`,
          `look into it, then \`git branch -D loopwright/${lostBranches[0] ?? ''}\``,
        ),
    dropped.length === 0
      ? ok('kept work', kept.length === 0 ? 'none' : `${kept.length}, all on their branches`)
      : warn(
          'kept work',
          `the branch is gone, but not what was on it: ${list(dropped)}`,
          `bring it back with \`git branch loopwright/${dropped[0] ?? ''} ${keptPrefix}${dropped[0] ?? ''}\``,
        ),
  ];
}

/** Folders that finished loops have left for the next ones, and what an engine that died had taken out. */
export async function checkPool(worktrees: string): Promise<Check> {
  const pool = poolFolder(path.join(worktrees, 'any'));
  const folders = await listPool(pool);
  const taken = folders.filter(({ isTaken }) => isTaken);
  const strangers = await listStrangers(worktrees, pool, new Set(folders.map(({ name }) => name)));
  if (strangers.length > 0) {
    return warn(
      'pool',
      `not Loopwright's, and left alone: ${list(strangers)}`,
      `look into ${strangers[0] ?? ''}, then move it to where it belongs or delete it`,
    );
  }
  const parked = folders.length - taken.length;
  if (taken.length === 0) {
    return ok('pool', parked === 0 ? 'empty' : `${parked} used worktrees wait for the next loops`);
  }
  const first = path.join(pool, taken[0]?.name ?? '');
  return warn(
    'pool',
    `taken out for loops that never started: ${list(taken.map(({ name }) => name))}`,
    `if no engine is running: \`rm -rf ${first}\`; it goes by itself within the hour when loops run`,
  );
}

/** What somebody has put into the pool, and what was moved away from the place of a worktree. */
async function listStrangers(
  worktrees: string,
  pool: string,
  known: ReadonlySet<string>,
): Promise<readonly string[]> {
  const [parked, beside] = await Promise.all(
    [pool, worktrees].map((folder) => readdir(folder).catch(() => [])),
  );
  return [
    ...(parked ?? []).filter((name) => !known.has(name)).map((name) => path.join(pool, name)),
    ...(beside ?? []).filter(isSetAside).map((name) => path.join(worktrees, name)),
  ];
}

/** What follows the prefix in the names of refs. */
async function refsBelow(
  repository: Repository,
  start: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const args = ['for-each-ref', '--format=%(refname)', start];
  const output = await repository.text({ args, signal });
  return output
    .split('\n')
    .filter((name) => name !== '')
    .map((name) => name.slice(start.length));
}

async function loopWorktrees({
  main,
}: Repository): Promise<readonly { readonly loop: string; readonly folder: string }[]> {
  const found = [];
  for (const { gitDir, workTree } of await listLinkedCheckouts(main.commonDir)) {
    const head = (await readFile(path.join(gitDir, 'HEAD'), 'utf8').catch(() => '')).trim();
    const branch = `ref: ${prefix}`;
    if (head.startsWith(branch))
      found.push({ loop: head.slice(branch.length), folder: workTree ?? gitDir });
  }
  return found;
}

function list(names: readonly string[]): string {
  const more = names.length - shown;
  return `${names.slice(0, shown).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Lock files a killed git has left: until they are gone, git refuses to work. */
export async function checkLocks(
  { main }: Repository,
  now: number,
  signal: AbortSignal,
): Promise<Check> {
  const linked = await listLinkedCheckouts(main.commonDir);
  const folders = new Set([main.commonDir, main.gitDir, ...linked.map(({ gitDir }) => gitDir)]);
  const found = [...folders].flatMap((folder) => listLocks(folder));
  const locks: { readonly file: string; readonly ageMs: number }[] = [];
  for (const file of [...found, ...listRefLocks(main.commonDir)]) {
    // That of a git which works right now is soon gone.
    if (await isFreeSoon(file, signal)) continue;
    const { mtimeMs } = (await lstat(file).catch(() => null)) ?? { mtimeMs: now };
    locks.push({ file, ageMs: Math.max(0, now - mtimeMs) });
  }
  const [first] = locks;
  if (first === undefined) return ok('locks', 'none left behind');
  return warn(
    'locks',
    locks
      .map(({ file, ageMs }) => `${file} (${formatAge(ageMs)})`)
      .slice(0, shown)
      .join(', '),
    `if no git is running: \`rm ${first.file}\``,
  );
}

import { lstatSync } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { isLoopId, throwawayOwner } from '../../core/loop/throwaway.ts';
import type { KnownLoops } from '../../ports/workspace.ts';
import { standsInTheWay } from '../files/own-folder.ts';
import { branchPrefix, deleteLoopBranch, listLoopRefs } from './loop-branch.ts';
import { discard } from './make-worktree.ts';
import type { Registry } from './make-worktree.ts';
import { hasLivingMaker } from './maker.ts';
import { isLinkedTo, isReady, standingOf } from './own-worktree.ts';
import {
  dropLeft,
  finishLeft,
  folderOf,
  listLeft,
  loopOf,
  unregisterWorktree,
} from './registration.ts';
import { removeFolder } from './remove-folder.ts';
import { brokenFiles, repairRegistration, type BrokenFile } from './repair-registration.ts';
import { wallClockMs } from '../clock/wall-clock.ts';

/** Something that is wrong with worktrees or was left of them. */
export type WorktreeFault = {
  /** `broken`: git cannot read it, so that commands of the user can fail. `left`: nobody needs it any more. */
  readonly kind: 'broken' | 'left' | 'foreign';
  readonly text: string;
  /** Null: it is the user's own, which only they may change. */
  readonly repair: ((signal: AbortSignal) => Promise<void>) | null;
  /** What a user can do about their own. */
  readonly next: string | null;
};

/** Repairs all that is ours. */
export async function tidyWorktrees(
  registry: Registry,
  known: KnownLoops,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const done: string[] = [];
  for (const { text, repair } of await findWorktreeFaults(registry, known, signal)) {
    if (repair === null) continue;
    try {
      await repair(signal);
      done.push(text);
    } catch (error) {
      signal.throwIfAborted();
      // The next one may be what keeps the user's own git from working.
      const why = error instanceof Error ? error.message : String(error);
      done.push(`${text}, which cannot be repaired: ${why}`);
    }
  }
  return done;
}

/** Only looks. What a living engine is making or removing, and worktrees of loops that are driven, are no faults. */
export async function findWorktreeFaults(
  registry: Registry,
  known: KnownLoops,
  signal: AbortSignal,
): Promise<readonly WorktreeFault[]> {
  const { commonDir } = registry.repository.main;
  const worktrees = path.join(commonDir, 'worktrees');
  const faults: WorktreeFault[] = await findLeft(commonDir);
  const names = standsInTheWay(worktrees) ? [] : await readdir(worktrees).catch(() => []);
  for (const name of names.toSorted((a, b) => (a < b ? -1 : 1))) {
    const fault = await inspect(registry, known, path.join(worktrees, name), signal);
    if (fault !== null) faults.push(fault);
  }
  return [...faults, ...(await findLone(registry, known, new Set(names), signal))];
}

/** A process says who it is before anything else; what has no such mark after this time was cut before it could. */
const unmarkedMs = 60_000;

async function findLeft(commonDir: string): Promise<WorktreeFault[]> {
  const faults: WorktreeFault[] = [];
  for (const left of await listLeft(commonDir)) {
    const { dir, loopId, folder } = left;
    if (loopId !== null && hasLivingMaker(dir, loopId)) continue;
    const found = await lstat(dir).catch(() => null);
    if (found === null || (loopId === null && wallClockMs() - found.ctimeMs < unmarkedMs)) continue;
    const text = `worktree that was half made or half removed: ${folder ?? dir}`;
    faults.push({ kind: 'left', text, repair: () => finishLeft(left), next: null });
  }
  return faults;
}

async function inspect(
  registry: Registry,
  known: KnownLoops,
  gitDir: string,
  signal: AbortSignal,
): Promise<WorktreeFault | null> {
  if (lstatSync(gitDir, { throwIfNoEntry: false })?.isDirectory() !== true) return null;
  const { repository } = registry;
  const id = await ownerOf(known, gitDir);
  const hadIndex = id !== null && isReady(gitDir, id);
  const broken = await brokenFiles(repository, gitDir, hadIndex, signal);
  if (id === null) return broken.length === 0 ? null : foreignFault(gitDir, broken);
  const throwaway = throwawayOwner(id);
  const loopId = throwaway === null ? id : throwaway.loopId;
  const isGone = broken.length === 0 && isFolderGone(gitDir);
  if (throwaway === null && broken.length === 0 && !isGone) return null;
  if (hasLivingMaker(gitDir, id) && throwaway !== null) return null;
  if (loopId !== null && (await known.isDriven(loopId))) return null;
  const loop = await known.find(id);
  const folder = folderOf(gitDir) ?? loop?.path ?? path.join(known.folder, id);
  if (throwaway !== null) return throwawayFault(registry, gitDir, folder, id);
  if (isGone) {
    if (loop?.isOpen === true) return null;
    const text = `registration of ${id}, whose worktree is gone`;
    return { kind: 'left', text, repair: () => drop(registry, gitDir, folder, id), next: null };
  }
  return brokenFault(registry, { gitDir, folder, id, branch: loop?.branch ?? null }, broken);
}

/** The id under which a registration is ours; null when it is somebody else's. */
async function ownerOf(known: KnownLoops, gitDir: string): Promise<string | null> {
  const marked = await loopOf(gitDir);
  if (marked !== null) return marked;
  const name = path.basename(gitDir);
  const folder = folderOf(gitDir);
  const isBelow = folder !== null && path.dirname(folder) === known.folder;
  const loopId = throwawayOwner(name)?.loopId ?? name;
  const isNamed = isLoopId(loopId) || (await known.find(loopId)) !== null;
  // A worktree that names a place elsewhere is the user's, whatever it is called.
  const isElsewhere = folder !== null && !isBelow && (await known.find(name))?.path !== folder;
  if (isElsewhere) return null;
  return isNamed || (isBelow && throwawayOwner(name) !== null) ? name : null;
}

/** On a disk that is not there now, the folder around it is missing too. */
function isFolderGone(gitDir: string): boolean {
  const folder = folderOf(gitDir);
  if (folder === null) return false;
  return !isThere(folder) && isThere(path.dirname(folder));
}

function isThere(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

type Broken = {
  readonly gitDir: string;
  readonly folder: string;
  readonly id: string;
  readonly branch: string | null;
};

async function brokenFault(
  registry: Registry,
  { gitDir, folder, id, branch }: Broken,
  broken: readonly BrokenFile[],
): Promise<WorktreeFault> {
  const text = `registration of ${id} with ${broken.join(', ')} missing or unreadable`;
  const isWhole = isReady(gitDir, id) && (await standingOf(gitDir, id, folder)) === 'ours';
  const kind = 'broken';
  if (!isWhole) return { kind, text, repair: () => drop(registry, gitDir, folder, id), next: null };
  const own = { gitDir, folder, branch: branch ?? `${branchPrefix}${id}` };
  const repair = (signal: AbortSignal) =>
    repairRegistration(registry.repository, own, broken, signal);
  return { kind, text, repair, next: null };
}

/** The folder goes only if it is the one that was made for it, and no work is in it. */
async function drop(
  { repository, reach }: Registry,
  gitDir: string,
  folder: string,
  id: string,
): Promise<void> {
  const isHalfMade = !isReady(gitDir, id) && (await standingOf(gitDir, id, folder)) === 'ours';
  const left = await unregisterWorktree(repository.main.commonDir, gitDir, id, reach);
  if (isHalfMade) await removeFolder(folder);
  if (left !== null) await dropLeft(left);
}

function throwawayFault(
  registry: Registry,
  gitDir: string,
  folder: string,
  id: string,
): WorktreeFault {
  const repair = async (signal: AbortSignal) => {
    if ((await standingOf(gitDir, id, folder)) === 'ours') {
      await discard(registry, gitDir, folder, id);
    } else {
      await drop(registry, gitDir, folder, id);
    }
    await deleteLoopBranch(registry.repository, `${branchPrefix}${id}`, signal);
  };
  const text = `throwaway worktree left by a killed engine: ${id}`;
  return { kind: 'left', text, repair, next: null };
}

/** Branches and folders of throwaway worktrees that are not registered. */
async function findLone(
  registry: Registry,
  known: KnownLoops,
  registered: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<readonly WorktreeFault[]> {
  const { repository } = registry;
  const { commonDir } = repository.main;
  const refs = await listLoopRefs(repository, signal);
  const folders = await readdir(known.folder).catch(() => []);
  const ids = new Set([...refs, ...folders].filter((id) => throwawayOwner(id) !== null));
  if (ids.size === 0) return [];
  // Whoever makes one is there before its branch is, so looking afterwards misses none.
  const under = (await listLeft(commonDir)).filter(
    ({ dir, loopId }) => loopId !== null && hasLivingMaker(dir, loopId),
  );
  const beingMade = new Set(under.map(({ loopId }) => loopId));
  const faults: WorktreeFault[] = [];
  for (const id of ids) {
    const gitDir = path.join(commonDir, 'worktrees', id);
    const loopId = throwawayOwner(id)?.loopId ?? null;
    if (registered.has(id) || isThere(gitDir) || beingMade.has(id)) continue;
    if (loopId !== null && (await known.isDriven(loopId))) continue;
    const folder = path.join(known.folder, id);
    const repair = async (stop: AbortSignal) => {
      if (isLinkedTo(folder, gitDir)) await removeFolder(folder);
      if (refs.has(id)) await deleteLoopBranch(repository, `${branchPrefix}${id}`, stop);
    };
    const isOurs = refs.has(id) || isLinkedTo(folder, gitDir);
    if (isOurs)
      faults.push({
        kind: 'left',
        text: `branch or folder of a throwaway worktree: ${id}`,
        repair,
        next: null,
      });
  }
  return faults;
}

function foreignFault(gitDir: string, broken: readonly BrokenFile[]): WorktreeFault {
  const [first] = broken;
  const how: Readonly<Record<BrokenFile, string>> = {
    commondir: `\`printf '../..\\n' > ${path.join(gitDir, 'commondir')}\``,
    gitdir: '`git worktree repair PATH` with the path of that worktree, or `git worktree prune`',
    HEAD: `\`printf 'ref: refs/heads/BRANCH\\n' > ${path.join(gitDir, 'HEAD')}\` with its branch`,
    index: `\`rm ${path.join(gitDir, 'index')}\`, then \`git reset\` in that worktree`,
  };
  const next = `it is not a loop's, so nothing is changed; if no git is running: ${first === undefined ? '' : how[first]}`;
  const text = `${gitDir} has ${broken.join(', ')} missing or unreadable`;
  return { kind: 'foreign', text, repair: null, next };
}

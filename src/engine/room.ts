import { lstat, mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { cleanEnvironment, roomEnvironment } from '../core/env/allow-list.ts';
import type { Loop } from '../core/loop/loop.ts';
import type { ProcessIdentity } from '../ports/process.ts';
import type { RoomFile } from '../ports/workspace.ts';
import { furnishHome, type CleanHome } from './clean-home.ts';
import { cutLinksOut } from './cut-links.ts';
import type { Engine } from './engine.ts';
import { ownPackages, type OwnDependencies } from './own-packages.ts';
import type { Room } from './run-command.ts';
import { runCommand } from './run-command.ts';
import { withoutLimit } from './without-limit.ts';

export type RoomWish = {
  readonly commit: string;
  readonly files: readonly RoomFile[];
  /** Where dependencies come from; null: the user's checkout. */
  readonly dependencies: OwnDependencies | null;
  /** What the user's home gives to that of the room. */
  readonly home: CleanHome;
  /** Paths of brought folders that are left out: caches somebody else may have filled. */
  readonly without: readonly string[];
  /** Files that the loop added or changed: links among them that lead out of the project lead nowhere. */
  readonly product: readonly string[];
  /** Folder for what `workspace.setup` prints. */
  readonly dir: string;
};

export type FurnishedRoom = {
  readonly cwd: string;
  readonly room: Room;
  /** Folders with dependencies, relative. */
  readonly links: readonly string[];
};

export type RoomResult<T> =
  | { readonly kind: 'done'; readonly value: T }
  /** `workspace.setup` does not work there. */
  | { readonly kind: 'not-set-up'; readonly reason: string; readonly output: string };

/**
 * Gives `work` a clean checkout of its own: below the user's cache folder, with a repository, a home and a temporary folder of
 * its own, and removes it again with all that was done in it. One that a kill has left is removed by the next engine.
 */
export async function withRoom<T>(
  engine: Engine,
  loop: Loop,
  wish: RoomWish,
  work: (place: FurnishedRoom) => Promise<T>,
  signal: AbortSignal,
): Promise<RoomResult<T>> {
  const outer = path.join(engine.roomsDir, await roomName(engine));
  try {
    await engine.reach('before:make-room');
    const place = await furnish(engine, loop, wish, outer, signal);
    await engine.reach('after:make-room');
    const fault = await setUp(engine, loop, wish, place, signal);
    if (fault !== null) return fault;
    return { kind: 'done', value: await work(place) };
  } finally {
    await engine.reach('before:remove-room');
    await withoutLimit(engine, `removing ${outer}`, () => removeRoom(outer));
    await engine.reach('after:remove-room');
  }
}

async function furnish(
  engine: Engine,
  loop: Loop,
  { commit, files, dependencies, home: toolchains, without, product }: RoomWish,
  outer: string,
  signal: AbortSignal,
): Promise<FurnishedRoom> {
  const { root } = engine.project;
  const cwd = path.join(outer, path.basename(root) || 'project');
  const home = path.join(outer, 'home');
  const temporary = path.join(outer, 'tmp');
  const compiled = path.join(outer, 'compiled');
  const identity = path.join(outer, 'gitconfig');
  const writable = [home, temporary, compiled];
  for (const folder of writable) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  }
  await furnishHome(home, toolchains);
  const { copy, link } = loop.settings.workspace;
  const from = dependencies?.from ?? root;
  const links = await dependencyFolders(from, link);
  const paths = dependencies === null ? [] : await ownPackages(root, dependencies, links);
  const spec = { folder: cwd, commit, files, copy, link: links, own: { from, paths }, identity };
  await engine.project.makeRoom(spec, signal);
  for (const each of without) await rm(path.join(cwd, each), { recursive: true, force: true });
  await cutLinksOut(cwd, product);
  const { pass, set } = loop.settings.env;
  // Who asks for clean rooms has checks that need no more than these have.
  const isBare = loop.settings.verify['clean-room'];
  const environmentOf = isBare ? cleanEnvironment : roomEnvironment;
  const env = environmentOf(engine.env, { pass, set, reserved: {} }, { home, temporary });
  // Results and compiled files that somebody else has stored count for nothing here.
  const own = {
    GOFLAGS: '-count=1',
    PYTHONPYCACHEPREFIX: compiled,
    GIT_CONFIG_SYSTEM: identity,
  };
  return { cwd, room: { env: { ...own, ...env }, writable }, links };
}

/** What is linked by configuration, and what programs find above a worktree inside of the checkout anyway. */
export async function dependencyFolders(
  from: string,
  link: readonly string[],
): Promise<readonly string[]> {
  const found = await lstat(path.join(from, 'node_modules')).catch(() => null);
  return found === null ? link : [...new Set([...link, 'node_modules'])];
}

async function setUp(
  engine: Engine,
  loop: Loop,
  { dir }: RoomWish,
  { cwd, room }: FurnishedRoom,
  signal: AbortSignal,
): Promise<Extract<RoomResult<never>, { kind: 'not-set-up' }> | null> {
  const command = loop.settings.workspace.setup;
  if (command === null) return null;
  const timeoutMs = loop.settings.validation.timeout;
  const spec = { command, dir, name: 'setup', cwd, timeoutMs, walled: true, ...room };
  const { end, output } = await runCommand(engine, loop, spec, signal);
  signal.throwIfAborted();
  if (end.kind === 'exited' && end.code === 0) return null;
  const why = end.kind === 'exited' ? `exit code ${end.code}` : end.kind;
  return { kind: 'not-set-up', reason: `workspace.setup failed (${why}): ${command}`, output };
}

/** Folders that a test has made unreadable are no obstacle to the one who owns them. */
async function removeRoom(outer: string): Promise<void> {
  await rm(outer, { recursive: true, force: true, maxRetries: 3 });
}

/** Removes rooms whose engine was killed, of any project of this user. Their names say whose they are. */
export async function removeLeftRooms({ roomsDir, supervisor }: Engine): Promise<void> {
  const names = await readdir(roomsDir).catch(() => []);
  if (names.length === 0) return;
  const self = await supervisor.self();
  for (const name of names) {
    const [pid = '', startTime = '', boot = ''] = name.split('-');
    const isOfThisBoot = boot === bootOf(self);
    const maker = { ...self, pid: Number(pid), startTime };
    if (isOfThisBoot && (await supervisor.isAlive(maker))) continue;
    await removeRoom(path.join(roomsDir, name));
  }
}

/** Says which process made it, so that the next engine can tell whether that lives. */
async function roomName({ supervisor, ids }: Engine): Promise<string> {
  const self = await supervisor.self();
  return [self.pid, self.startTime ?? '', bootOf(self), ids.token().slice(0, 8)].join('-');
}

function bootOf({ bootId }: ProcessIdentity): string {
  return (bootId ?? '').replaceAll('-', '').slice(0, 8);
}

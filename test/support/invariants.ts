import { readdirSync, readFileSync } from 'node:fs';
import { copyFile, readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import type { RecordedEvent } from '../../src/core/loop/event.ts';
import { fold } from '../../src/core/loop/evolve.ts';
import type { Loop } from '../../src/core/loop/loop.ts';
import { hasProof } from '../../src/core/loop/proof.ts';
import { isResting } from '../../src/core/loop/status.ts';
import { openStore } from '../../src/adapters/sqlite/store.ts';
import { digestFolder, type GitRepo } from './git-repo.ts';
import { tempDir, type TempDir } from './temp-dir.ts';

/** What of the user's must be the same afterwards, bit for bit. */
export type UserState = {
  readonly files: string;
  readonly index: string;
  readonly head: string;
  readonly config: string;
  readonly refs: string;
};

export async function userState(
  repo: GitRepo,
  movable: readonly string[] = [],
): Promise<UserState> {
  const inGit = (file: string) => readFile(path.join(repo.path, '.git', file), 'base64');
  const refs = await repo.git('for-each-ref', '--format=%(refname) %(objectname)');
  const isTheirs = (line: string) =>
    !/^refs\/(heads\/loopwright|loopwright-kept|loopwright-past)\//.test(line) &&
    !movable.some((ref) => line.startsWith(`${ref} `));
  return {
    files: await digestFolder(repo.path, ['.git', '.loopwright']),
    index: await inGit('index'),
    head: await inGit('HEAD'),
    config: await inGit('config'),
    refs: refs.split('\n').filter(isTheirs).join('\n'),
  };
}

export type StoredLoop = { readonly loop: Loop; readonly events: readonly RecordedEvent[] };

/** Every loop with its whole log, as the store has it now; nothing when there is no store. */
export async function storedLoops(repo: Pick<GitRepo, 'path'>): Promise<readonly StoredLoop[]> {
  await using copy = await copyStore(repo);
  if (copy === null) return [];
  await using store = await openStore(path.join(copy.path, 'state.db'));
  return store.read(async (tx) => {
    const rows = await tx.loops.list({});
    const found: StoredLoop[] = [];
    for (const { id } of rows) {
      const loop = await tx.loops.get(id);
      if (loop !== null) found.push({ loop, events: await tx.loops.events(id, 0, 1_000_000) });
    }
    return found;
  });
}

/**
 * The store as it is on disk now, log included. A copy, so that looking changes nothing and a disk that only another
 * namespace has can be looked at too; nobody may be writing.
 */
async function copyStore(repo: Pick<GitRepo, 'path'>): Promise<TempDir | null> {
  const file = path.join(repo.path, '.loopwright/state.db');
  if ((await stat(file).catch(() => null)) === null) return null;
  const copy = await tempDir();
  for (const end of ['', '-wal']) {
    const from = `${file}${end}`;
    if ((await stat(from).catch(() => null)) !== null)
      await copyFile(from, path.join(copy.path, `state.db${end}`));
  }
  return copy;
}

/** What the store breaks of its promises: damage, gaps, a log that folds into something else. */
export async function storeViolations(repo: Pick<GitRepo, 'path'>): Promise<readonly string[]> {
  await using copy = await copyStore(repo);
  if (copy === null) return ['there is no store'];
  const file = path.join(copy.path, 'state.db');
  const violations: string[] = [];
  using database = new DatabaseSync(file);
  const check = database.prepare('pragma integrity_check').all();
  if (
    !isDeepStrictEqual(
      check.map((row) => Object.values(row)),
      [['ok']],
    )
  )
    violations.push(`integrity_check: ${JSON.stringify(check)}`);
  await using store = await openStore(file);
  for (const { loop, events } of await storedLoops(repo)) {
    const broken = await store.read((tx) => tx.loops.verifyChain(loop.id));
    if (broken !== null) violations.push(`${loop.id}: the hash chain breaks at ${broken}`);
    const gap = events.findIndex(({ seq }, index) => seq !== index + 1);
    if (gap !== -1) violations.push(`${loop.id}: no event ${gap + 1}`);
    if (!isDeepStrictEqual(plain(fold(events)), plain(loop)))
      violations.push(`${loop.id}: folding the log does not give the projection`);
    violations.push(...numberViolations(loop, events));
  }
  return violations;
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function numberViolations(loop: Loop, events: readonly RecordedEvent[]): readonly string[] {
  const started = events.flatMap(({ event }) =>
    event.type === 'iteration.started' ? [event.number] : [],
  );
  const violations: string[] = [];
  if (started.some((number, index) => number !== index + 1))
    violations.push(`${loop.id}: iterations were numbered ${started.join(', ')}`);
  const ended = events.flatMap(({ event }) =>
    event.type === 'iteration.ended' ? [event.number] : [],
  );
  if (new Set(ended).size !== ended.length)
    violations.push(`${loop.id}: iterations ended twice: ${ended.join(', ')}`);
  if (loop.status === 'complete' && !hasProof(loop))
    violations.push(`${loop.id}: complete without its gates`);
  if (loop.status === 'complete' && !events.some(({ event }) => isPass(event)))
    violations.push(`${loop.id}: complete without a stored pass`);
  if (isResting(loop.status) && loop.iterations.some(({ endedAt }) => endedAt === null))
    violations.push(`${loop.id}: rests with an open iteration`);
  return violations;
}

function isPass(event: RecordedEvent['event']): boolean {
  if (event.type === 'verification.ended') return event.report.overall.passed;
  if (event.type === 'integrity.allowed') return event.report?.overall.passed === true;
  return event.type === 'baseline.recorded' && event.state === 'green';
}

/** One line per start of the agent, written by the agent itself: `<loop> <iteration>`. */
export async function agentStarts(log: string): Promise<readonly string[]> {
  const text = await readFile(log, 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line !== '');
}

/** No iteration ran its agent twice, and none that was finished ran without it. */
export function startViolations(
  starts: readonly string[],
  loops: readonly StoredLoop[],
): readonly string[] {
  const violations = starts
    .filter((line, index) => starts.indexOf(line) !== index)
    .map((line) => `the agent was started twice for ${line}`);
  const known = new Set(
    loops.flatMap(({ loop }) =>
      loop.iterations.filter(({ tries }) => tries > 0).map(({ number }) => `${loop.id} ${number}`),
    ),
  );
  for (const line of starts) {
    if (!known.has(line)) violations.push(`the agent ran for ${line}, which is not recorded`);
  }
  for (const { loop } of loops) {
    for (const { number, counted } of loop.iterations) {
      if (counted && !starts.includes(`${loop.id} ${number}`))
        violations.push(`iteration ${number} of ${loop.id} is finished, but its agent never ran`);
    }
  }
  return violations;
}

const pool = path.join('.loopwright', 'worktrees', '.pool');
/** `workspace.pool` unless it is configured. */
const poolSize = 4;

/** Worktrees, branches, locks, temporary files and queue entries that nobody will tidy up. */
export async function leftoverViolations(
  repo: GitRepo,
  kept: { readonly branches: readonly string[]; readonly worktrees?: readonly string[] },
): Promise<readonly string[]> {
  const linked = kept.worktrees ?? [];
  const violations: string[] = [];
  const worktrees = (await repo.git('worktree', 'list', '--porcelain')).match(/^worktree .*/gm);
  if (worktrees?.length !== 1 + linked.length)
    violations.push(`worktrees left: ${worktrees?.join(', ') ?? '?'}`);
  const refs = await repo.git('for-each-ref', '--format=%(refname)');
  const ours = refs
    .split('\n')
    .filter((ref) => /^refs\/(heads\/loopwright|loopwright-kept)\//.test(ref))
    .filter((ref) => !kept.branches.some((branch) => ref.includes(branch)));
  if (ours.length > 0) violations.push(`refs left: ${ours.join(', ')}`);
  // With their types, links are not followed: one leads to its own folder.
  const entries = await readdir(repo.path, { recursive: true, withFileTypes: true });
  const files = entries.map(({ parentPath, name }) =>
    path.relative(repo.path, path.join(parentPath, name)),
  );
  const strays = files.filter(
    (file) =>
      /\.lock$|\.tmp|tmp_obj_|\/worktrees\/.|-journal$/.test(file) &&
      !file.includes('logs/') &&
      !linked.some((name) => file.startsWith(path.join('.git', 'worktrees', name))) &&
      // Stays; who holds it is the kernel's knowledge.
      file !== path.join('.loopwright', 'daemon.lock') &&
      // The files of finished loops wait there for the next one.
      !file.startsWith(pool),
  );
  const pooled = await readdir(path.join(repo.path, pool)).catch(() => []);
  if (pooled.length > poolSize) violations.push(`${pooled.length} worktrees wait in the pool`);
  if (strays.length > 0) violations.push(`files left: ${strays.join(', ')}`);
  using database = new DatabaseSync(path.join(repo.path, '.loopwright/state.db'));
  const queued = database.prepare('select loop_id, owner from queue').all();
  if (queued.length > 0) violations.push(`still in the queue: ${JSON.stringify(queued)}`);
  const running = database.prepare("select id from tasks where status = 'running'").all();
  if (running.length > 0) violations.push(`tasks still running: ${JSON.stringify(running)}`);
  return violations;
}

/** Processes whose environment carries a token. Linux only. */
export function processesWith(token: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => {
      try {
        if (!readFileSync(`/proc/${name}/environ`, 'latin1').includes(token)) return false;
        // A zombie is gone; it only waits for its parent.
        return !/\) [ZX] /.test(readFileSync(`/proc/${name}/stat`, 'latin1'));
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Waits for what is already on its way; fails loudly when it does not come. */
export async function eventually(
  holds: () => boolean | Promise<boolean>,
  what: string,
  deadlineMs = 15_000,
): Promise<void> {
  const end = performance.now() + deadlineMs;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`not within ${deadlineMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

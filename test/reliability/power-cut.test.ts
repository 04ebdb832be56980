import { randomInt, randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { syncToDisk } from '../../src/adapters/files/sync-to-disk.ts';
import { createRandom } from '../../src/adapters/clock/seeded-random.ts';
import { realCli, type RealRun } from '../cli/real-cli.ts';
import { ext4Disk, whyNoExt4Disk } from '../support/ext4-disk.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { restartMachine } from '../support/restart-machine.ts';
import {
  agentStarts,
  eventually,
  processesWith,
  startViolations,
  storedLoops,
  storeViolations,
} from '../support/invariants.ts';

const missing = whyNoExt4Disk();
const isFull = process.env['LOOPWRIGHT_TEST_FULL'] === '1';
const firstSeed = Number(process.env['LOOPWRIGHT_TEST_SEED'] ?? randomInt(1_000_000));
const seeds = Array.from({ length: isFull ? 20 : 2 }, (_, index) => firstSeed + index);

/** How soon the disk writes by itself: never unless asked, as usual, and at once without the content of files. */
const disks = ['commit=60,noauto_da_alloc', 'commit=5', 'commit=1,noauto_da_alloc'];

const tasks = ['ash', 'birch', 'cedar', 'elder', 'fir', 'hazel'];

describe.skipIf(missing !== null)(`a power cut${missing === null ? '' : ` (${missing})`}`, () => {
  it.each(seeds)(
    'loses nothing that was told, and the next run completes everything (seed %s)',
    async (seed) => {
      const random = createRandom(seed);
      await using project = await createProject();
      const { repo } = project;
      using disk = ext4Disk(repo.path, disks[seed % disks.length] ?? '');
      await commitOfUser(repo);

      const run = project.start(['run', '--events', '--jobs', '2']);
      const atEvent = 5 + Math.floor(random.next() * 130);
      const laterMs = Math.floor(random.next() ** 2 * 400);
      await Promise.race([run.printed((text) => lineCount(text) >= atEvent), run.ended]).catch(
        // It was complete before.
        () => {},
      );
      await sleep(laterMs);
      disk.cut();
      await project.kill(run);
      const told = toldEvents((await run.ended).out);
      disk.restart();
      restartMachine(repo);

      expect(await lostFacts(repo, told)).toEqual([]);
      expect(await unreadableObjects(repo, isNoAgents)).toEqual([]);
      expect(await missingFromBase(repo)).toEqual([]);
      expect(await storeViolations(repo)).toEqual([]);

      const again = await project.start(['run', '--jobs', '2']).ended;
      expect([0, 3], again.out + again.err).toContain(again.exitCode);
      expect(unfinishedTasks(repo), again.out + again.err).toEqual([]);
      expect(await missingFromBase(repo)).toEqual([]);
      expect(await unreadableObjects(repo, () => true)).toEqual([]);
      await repo.git('fsck', '--connectivity-only');
      expect(await storeViolations(repo)).toEqual([]);
      expect(startViolations(await agentStarts(project.agentLog), await storedLoops(repo))).toEqual(
        [],
      );
      expect(await repo.git('status', '--porcelain')).toBe('');
      expect(await repo.git('show', 'main:by-hand.txt')).toBe('mine');
    },
    600_000,
  );
});

type Project = AsyncDisposable & {
  readonly repo: GitRepo;
  /** Written by the agents, outside the disk. */
  readonly agentLog: string;
  start(argv: readonly string[]): RealRun;
  /** What runs on a machine is gone with its power. */
  kill(run: RealRun): Promise<void>;
};

/** Six tasks of two iterations each; what is done is merged into the branch that the user has checked out. */
async function createProject(): Promise<Project> {
  const repo = await gitRepo();
  const { outside } = repo;
  const agentLog = path.join(outside, 'agent.log');
  const temp = path.join(outside, 'temp');
  await mkdir(temp);
  await writeFile(path.join(outside, 'agent.sh'), agentScript(agentLog));
  await repo.write(
    'loopwright.yml',
    `agent: "command:sh '${outside}/agent.sh'"
validation: { command: 'test "$(wc -l < "$LOOPWRIGHT_TASK.txt")" -ge 2' }
git: { merge: local, base: main }
scheduler: { min-disk: 0, warn-disk: 0 }
env: { pass: [TEST_TOKEN] }
`,
  );
  await repo.commitAll('project');
  const token = `token-${randomUUID()}`;
  const env = { ...repo.env, TEST_TOKEN: token, TMPDIR: temp };
  const start: Project['start'] = (argv) => realCli(repo.path, env, argv);
  for (const title of tasks) await start(['task', 'add', title]).ended;
  return {
    repo,
    agentLog,
    start,
    async kill(run) {
      run.child.kill('SIGKILL');
      await run.ended;
      for (const pid of processesWith(token)) killOne(pid);
      await eventually(() => processesWith(token).length === 0, 'all processes end');
    },
    async [Symbol.asyncDispose]() {
      for (const pid of processesWith(token)) killOne(pid);
      await repo[Symbol.asyncDispose]();
    },
  };
}

/** Every second agent commits by itself, as many do; a file is appended to, one is new, one is written over. */
function agentScript(log: string): string {
  return `
echo "$LOOPWRIGHT_LOOP $LOOPWRIGHT_ITERATION" >> '${log}'
echo "line of $LOOPWRIGHT_ITERATION" >> "$LOOPWRIGHT_TASK.txt"
mkdir -p "$LOOPWRIGHT_TASK"
echo "by $LOOPWRIGHT_ITERATION" > "$LOOPWRIGHT_TASK/note-$LOOPWRIGHT_ITERATION.txt"
cat "$LOOPWRIGHT_TASK"/note-*.txt > "$LOOPWRIGHT_TASK/all.txt"
case "$LOOPWRIGHT_TASK" in [a-c]*) git add -A && git commit -q -m 'by the agent' ;; esac
echo done`;
}

/** Its objects are not synced: git leaves them to the disk. */
async function commitOfUser(repo: GitRepo): Promise<void> {
  await repo.write('by-hand.txt', 'mine\n');
  syncToDisk(path.join(repo.path, 'by-hand.txt'));
  const settings = ['-c', 'core.fsync=index,reference'];
  await repo.git(...settings, 'add', '--all');
  await repo.git(...settings, 'commit', '--quiet', '-m', 'by hand');
}

/** Agents move the branch of their loop with a git of their own, which syncs nothing; the next run puts such a branch right. */
function isNoAgents(ref: string): boolean {
  return !ref.startsWith('refs/heads/loopwright/');
}

function killOne(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone meanwhile.
  }
}

type Told = { readonly loop: string; readonly seq: number; readonly type: string };

function lineCount(text: string): number {
  return text.split('\n').length;
}

function toldEvents(out: string): readonly Told[] {
  const whole = out.slice(0, out.lastIndexOf('\n') + 1).split('\n');
  return whole
    .filter((line) => line !== '')
    .map((line): Told => JSON.parse(line))
    .filter(({ seq, loop }) => seq !== null && loop !== null);
}

async function lostFacts(repo: GitRepo, told: readonly Told[]): Promise<readonly string[]> {
  const stored = new Set(
    (await storedLoops(repo)).flatMap(({ loop, events }) =>
      events.map(({ seq, event }) => `${loop.id} ${seq} ${event.type}`),
    ),
  );
  return told
    .map(({ loop, seq, type }) => `${loop} ${seq} ${type}`)
    .filter((each) => !stored.has(each));
}

const objectFields = new Set(['commit', 'head', 'tree', 'startTree', 'startHead', 'base', 'to']);

/** Commits and trees that facts or refs name and git cannot read to their last file. */
async function unreadableObjects(
  repo: GitRepo,
  isJudged: (ref: string) => boolean,
): Promise<readonly string[]> {
  const named = new Map<string, string>();
  for (const { loop, events } of await storedLoops(repo)) {
    for (const { seq, event } of events) {
      for (const [key, value] of Object.entries(event)) {
        if (objectFields.has(key) && /^[0-9a-f]{40}$/.test(String(value)))
          named.set(String(value), `${loop.id} ${seq} ${event.type}`);
      }
    }
  }
  const refs = (await repo.git('for-each-ref', '--format=%(objectname) %(refname)')).split('\n');
  for (const line of refs.filter((each) => isJudged(each.slice(41))))
    named.set(line.slice(0, 40), line.slice(41));
  const unreadable: string[] = [];
  for (const [id, by] of named) {
    await repo.git('archive', '--output', '/dev/null', '--format=tar', id).catch((error: Error) => {
      unreadable.push(`${by}: ${error.message}`);
    });
  }
  return unreadable;
}

type TaskRow = { readonly id: string; readonly status: string };

function taskRows(repo: GitRepo): readonly TaskRow[] {
  using database = new DatabaseSync(path.join(repo.path, '.loopwright/state.db'));
  return database
    .prepare('select id, status from tasks')
    .all()
    .map(({ id, status }) => ({ id: String(id), status: String(status) }));
}

function unfinishedTasks(repo: GitRepo): readonly string[] {
  const rows = taskRows(repo);
  const open = rows.filter(({ status }) => status !== 'done').map((row) => JSON.stringify(row));
  return rows.length === tasks.length ? open : [...open, `${rows.length} tasks`];
}

/** Every finished iteration of a task that is done has its line and its file in the base. */
async function missingFromBase(repo: GitRepo): Promise<readonly string[]> {
  const done = new Set(taskRows(repo).flatMap(({ id, status }) => (status === 'done' ? [id] : [])));
  const files = new Set((await repo.git('ls-tree', '-r', '--name-only', 'main')).split('\n'));
  const lost: string[] = [];
  for (const { loop } of await storedLoops(repo)) {
    if (!done.has(loop.taskId)) continue;
    const lines = files.has(`${loop.taskId}.txt`)
      ? await repo.git('show', `main:${loop.taskId}.txt`)
      : '';
    for (const { number, counted } of loop.iterations) {
      if (!counted) continue;
      if (!files.has(`${loop.taskId}/note-${number}.txt`))
        lost.push(`${loop.taskId}: the file of iteration ${number}`);
      if (!lines.split('\n').includes(`line of ${number}`))
        lost.push(`${loop.taskId}: the line of iteration ${number}`);
    }
  }
  return lost;
}

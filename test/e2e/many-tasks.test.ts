import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import {
  agentStarts,
  leftoverViolations,
  startViolations,
  storedLoops,
  storeViolations,
  userState,
} from '../support/invariants.ts';
import { openedProject } from '../support/opened-project.ts';

const isFull = process.env['LOOPWRIGHT_TEST_FULL'] === '1';
const entry = path.resolve('bin/loopwright.cjs');
const jobs = 8;

/** Says who started, works a moment, and adds a file of its own; tasks that share write the same one differently. */
const agent = (log: string) =>
  `command:echo "$LOOPWRIGHT_LOOP $LOOPWRIGHT_ITERATION" >> ${log}; sleep 0.1; ` +
  'if grep -q "share a file" "$LOOPWRIGHT_PROMPT_FILE"; then echo "$LOOPWRIGHT_TASK" > shared.txt; fi; ' +
  'echo done > "$LOOPWRIGHT_TASK.txt"';

type Planned = { readonly title: string; readonly after: readonly number[] };

/** Groups of ten: a chain of three, two diamonds of three that meet, and one that shares a file with those of others. */
function plan(count: number): readonly Planned[] {
  return Array.from({ length: count }, (_, index) => {
    const start = index - (index % 10);
    const after = [[], [0], [1], [], [3], [3], [4, 5], [2, 6], [7], []][index % 10] ?? [];
    const isLast = index % 10 === 9;
    return {
      title: isLast ? `${index} share a file` : `${index} add a file`,
      after: after.map((each) => start + each),
    };
  });
}

async function addTasks(repo: GitRepo, planned: readonly Planned[]): Promise<readonly string[]> {
  await using project = await openedProject(repo, {});
  const { store, ids, clock } = project.engine;
  return store.write(async (tx) => {
    const added: string[] = [];
    for (const { title, after } of planned) {
      const needs = after.map((index) => added[index] ?? '');
      const priority = title.includes('share') ? 'critical' : 'normal';
      const task = { title, after: needs, priority } as const;
      added.push((await tx.tasks.add(ids.task(), task, clock.now())).id);
    }
    return added;
  });
}

/** A real `run`, killed with SIGKILL once `until` says so; answers its exit code, null when it was killed. */
async function run(
  repo: GitRepo,
  log: string,
  until: () => Promise<boolean>,
): Promise<number | null> {
  const args = ['--agent', agent(log), '--validate', 'test -f "$LOOPWRIGHT_TASK.txt"'];
  const more = ['--merge', 'local', '--jobs', String(jobs), '--quiet', '--base', 'main'];
  const child = spawn(process.execPath, [entry, 'run', ...args, ...more], {
    cwd: repo.path,
    env: repo.env,
    stdio: 'ignore',
  });
  const exited = once(child, 'exit');
  while (child.exitCode === null && !(await until())) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  if (child.exitCode === null) child.kill('SIGKILL');
  await exited;
  return child.exitCode;
}

const count = isFull ? 100 : 20;
const kills = isFull ? 2 : 1;

it(
  `${count} tasks, ${jobs} at a time, killed ${kills} times: all end, none is lost, none runs twice`,
  { timeout: isFull ? 900_000 : 240_000 },
  async () => {
    await using repo = await gitRepo();
    await repo.git('switch', '--quiet', '-c', 'elsewhere');
    const planned = plan(count);
    const log = path.join(repo.outside, 'starts.txt');
    await writeFile(log, '');
    const ids = await addTasks(repo, planned);
    const before = await userState(repo, ['refs/heads/main']);
    for (let kill = 1; kill <= kills; kill++) {
      const enough = Math.floor((count * kill) / (kills + 1));
      const until = async () => (await agentStarts(log)).length >= enough;
      expect(await run(repo, log, until)).toBeNull();
    }
    expect([0, 2]).toContain(await run(repo, log, async () => false));

    await using project = await openedProject(repo, {});
    const tasks = await project.engine.store.read((tx) => tx.tasks.list({}));
    const blocked = tasks.filter(({ status }) => status === 'blocked');
    expect(tasks.filter(({ status }) => status === 'done')).toHaveLength(count - blocked.length);
    // Who wrote the shared file at the same time as another waits for a person.
    for (const { title, reason } of blocked) {
      expect(title).toContain('share a file');
      expect(reason).toContain('shared.txt');
    }

    const loops = await storedLoops(repo);
    expect(loops.map(({ loop }) => loop.taskId).toSorted()).toEqual(ids.toSorted());
    // What an iteration left that was cut by a kill may conflict: then none was counted.
    const ended = loops.filter(({ loop }) => loop.status === 'complete');
    const worked = ended.map(({ loop }) => loop.iterations.filter(({ counted }) => counted).length);
    expect(new Set(worked)).toEqual(new Set([1]));
    expect(startViolations(await agentStarts(log), loops)).toEqual([]);
    expect(await storeViolations(repo)).toEqual([]);

    expect(await repo.git('rev-list', '--min-parents=2', 'main')).toBe('');
    const done = tasks.filter(({ status }) => status === 'done').map(({ id }) => `${id}.txt`);
    expect((await repo.git('ls-tree', '--name-only', 'main', '--', ...done)).split('\n')).toEqual(
      done.toSorted(),
    );
    expect(await repo.git('rev-list', '--count', 'main')).toBe(String(done.length + 1));
    // Everybody started from a base that had all it needed.
    for (const [index, { after }] of planned.entries()) {
      const loop = loops.find((each) => each.loop.taskId === ids[index])?.loop;
      for (const need of after) {
        const seen = await repo.git('ls-tree', '--name-only', loop?.workspace.base ?? '');
        expect(seen).toContain(`${ids[need]}.txt`);
      }
    }
    expect(await userState(repo, ['refs/heads/main'])).toEqual(before);
    const kept = loops.flatMap(({ loop }) => (loop.mergedInto === null ? [loop.id] : []));
    // Who is blocked keeps branch and worktree; nothing else is left of anybody.
    const left = await leftoverViolations(repo, { branches: kept });
    const strays = left.flatMap((text) => text.slice(text.indexOf(':') + 1).split(', '));
    const known = [...kept, `worktree ${repo.path}`];
    expect(strays.filter((text) => !known.some((id) => text.includes(id)))).toEqual([]);
  },
);

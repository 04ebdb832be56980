import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { NewTask } from '../../src/core/task/task.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { eventually, userState } from '../support/invariants.ts';
import { openedProject, type TestProject } from '../support/opened-project.ts';

const add = (project: TestProject, task: NewTask) =>
  project.engine.store.write((tx) =>
    tx.tasks.add(project.engine.ids.task(), task, project.engine.clock.now()),
  );

const taskOf = (project: TestProject, id: string) =>
  project.engine.store.read((tx) => tx.tasks.get(id));

/** Waits for a file that another agent makes: only agents that run at the same time get past it. */
const meet = (folder: string, count: number) =>
  `touch "${folder}/$LOOPWRIGHT_TASK"; while [ $(ls "${folder}" | wc -l) -lt ${count} ]; do sleep 0.05; done`;

const meetingPlace = async (repo: GitRepo) => {
  const folder = path.join(repo.outside, 'meeting');
  await mkdir(folder);
  return folder;
};

async function isLinear(repo: GitRepo): Promise<boolean> {
  return (await repo.git('rev-list', '--min-parents=2', 'main')) === '';
}

/** Each has several agents and many git commands. */
const time = { timeout: 240_000 };

describe('run --jobs', time, () => {
  it('a loop that cannot go on takes no other with it, and is tried once', async () => {
    await using repo = await gitRepo();
    const calls = path.join(repo.outside, 'calls');
    const isBad = 'grep -q "bad one"';
    await using project = await openedProject(repo, {
      agent: `command:if ${isBad}; then echo bad >> ${calls}; rm -rf "$PWD"; else echo x > work.txt; fi`,
      validate: 'test -f work.txt',
    });
    const bad = await add(project, { title: 'bad one' });
    for (const title of ['a', 'b', 'c']) await add(project, { title });
    await expect(project.runReady({ jobs: 2 })).rejects.toMatchObject({ code: 'workspace.gone' });
    const counts = await project.engine.store.read((tx) => tx.tasks.counts());
    expect(counts).toMatchObject({ done: 3 });
    expect(await readFile(calls, 'utf8')).toBe('bad\n');
    expect(await taskOf(project, bad.id)).toMatchObject({ status: 'paused' });
  });

  it('runs ready tasks at the same time, and dependents when what they need is in the base', async () => {
    await using repo = await gitRepo();
    const meeting = await meetingPlace(repo);
    const first = `echo x > "$LOOPWRIGHT_TASK.txt"; if ! [ -e last ]; then ${meet(meeting, 3)}; fi`;
    await using project = await openedProject(repo, {
      agent: `command:[ $(ls t-*.txt 2>/dev/null | wc -l) = 3 ] && echo y > last.txt || { ${first}; }`,
      validate: 'ls t-*.txt',
      merge: 'local',
    });
    const needed = [];
    for (const title of ['a', 'b', 'c']) needed.push((await add(project, { title })).id);
    const last = await add(project, {
      title: 'last',
      after: needed,
      validation: 'test -f last.txt',
    });
    const { loops } = await project.runReady({ jobs: 3 });
    expect(loops.map(({ status, mergedInto }) => [status, mergedInto])).toEqual(
      Array.from({ length: 4 }, () => ['complete', 'main']),
    );
    expect(loops.at(-1)?.taskId).toBe(last.id);
    expect(await isLinear(repo)).toBe(true);
    expect((await repo.git('ls-files', 't-*.txt', 'last.txt')).split('\n')).toHaveLength(4);
    expect(project.engine.slots.queue).toMatchObject({ places: [], held: { loop: 0, agent: 0 } });
  });

  it('never runs more loops than asked, and says what the others wait for', async () => {
    await using repo = await gitRepo();
    const log = path.join(repo.outside, 'log');
    await using project = await openedProject(repo, {
      agent: `command:echo start >> ${log}; echo x > work.txt; sleep 0.2; echo end >> ${log}`,
      validate: 'test -f work.txt',
    });
    for (let n = 0; n < 5; n++) await add(project, { title: `task ${n}` });
    await project.runReady({ jobs: 2 });
    let running = 0;
    const peaks = (await readFile(log, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => (running += line === 'start' ? 1 : -1));
    expect(Math.max(...peaks)).toBe(2);
    const waits = project.live.flatMap((event) => (event.kind === 'queue' ? [event.queue] : []));
    expect(waits.some(({ places }) => places.length === 3)).toBe(true);
    expect(waits[1]?.places[0]?.obstacle).toEqual({ kind: 'busy', slot: 'loop', limit: 2 });
    expect(waits.at(-1)?.places).toEqual([]);
    expect(project.engine.slots.statistics).toMatchObject({ peaks: { loop: 2, agent: 2 } });
  });

  it('pauses all loops when it is interrupted, and goes on with all of them', async () => {
    await using repo = await gitRepo();
    const meeting = await meetingPlace(repo);
    const flags = {
      agent: `command:echo x > "$LOOPWRIGHT_TASK.txt"; ${meet(meeting, 3)}`,
      validate: 'ls t-*.txt',
    };
    await using project = await openedProject(repo, flags);
    for (const title of ['a', 'b', 'c']) await add(project, { title });
    const running = project.runReady({ jobs: 2 });
    await eventually(async () => (await readdir(meeting)).length === 2, 'two agents run');
    project.control.interrupt('cut');
    const { loops } = await running;
    expect(loops.map(({ status, reason }) => [status, reason])).toEqual([
      ['paused', 'interrupted'],
      ['paused', 'interrupted'],
    ]);
    await writeFile(path.join(meeting, 'third'), '');
    await using again = await openedProject(repo, flags);
    const { loops: resumed } = await again.runReady({ jobs: 2 });
    expect(resumed.map(({ status }) => status)).toEqual(Array(3).fill('complete'));
    expect(
      new Set(resumed.map(({ id }) => id)).isSupersetOf(new Set(loops.map(({ id }) => id))),
    ).toBe(true);
  });
});

describe('the merge queue', time, () => {
  it('blocks who conflicts with the files named, keeps its work, and lets the others through', async () => {
    await using repo = await gitRepo();
    const meeting = await meetingPlace(repo);
    await using project = await openedProject(repo, {
      agent: `command:echo "$LOOPWRIGHT_TASK" > README.md; ${meet(meeting, 2)}`,
      validate: 'grep -q t- README.md',
      merge: 'local',
    });
    const one = await add(project, { title: 'one' });
    const two = await add(project, { title: 'two' });
    const behind = await add(project, { title: 'behind', after: [one.id, two.id] });
    const { loops, held } = await project.runReady({ jobs: 2 });
    const merged = loops.find(({ status }) => status === 'complete');
    const blocked = loops.find(({ status }) => status === 'blocked');
    expect(merged).toMatchObject({ mergedInto: 'main' });
    expect(blocked).toMatchObject({
      reason: 'conflict',
      text: expect.stringContaining('README.md'),
    });
    expect(held).toBe(true);
    expect((await taskOf(project, merged?.taskId ?? ''))?.status).toBe('done');
    expect(await taskOf(project, blocked?.taskId ?? '')).toMatchObject({
      status: 'blocked',
      reason: expect.stringContaining('README.md'),
    });
    expect((await taskOf(project, behind.id))?.status).toBe('pending');
    expect(await repo.git('show', `${blocked?.workspace.branch}:README.md`)).toBe(blocked?.taskId);
    expect(await repo.git('status', '--porcelain')).toBe('');
  });

  it('is not taken for the doing of a guarded agent that works meanwhile', async () => {
    await using repo = await gitRepo();
    const meeting = await meetingPlace(repo);
    // The first to come waits until the other one is merged into the checkout.
    const late = `[ $(ls "${meeting}" | wc -l) = 1 ] && while ! ls ${repo.path}/t-*.txt; do sleep 0.05; done`;
    await using project = await openedProject(repo, {
      agent: `command:echo x > "$LOOPWRIGHT_TASK.txt"; mkdir "${meeting}/lead" 2>/dev/null && { ${late}; } || true`,
      validate: 'test -f "$LOOPWRIGHT_TASK.txt"',
      merge: 'local',
      sandbox: 'worktree',
    });
    await add(project, { title: 'one' });
    await add(project, { title: 'two' });
    const { loops } = await project.runReady({ jobs: 2 });
    expect(loops.map(({ status, text }) => [status, text])).toEqual(
      Array.from({ length: 2 }, () => ['complete', expect.anything()]),
    );
  });

  it('finds the one at fault in a batch that fails together, and leaves the checkout alone', async () => {
    await using repo = await gitRepo();
    await repo.git('switch', '--quiet', '-c', 'elsewhere');
    const before = await userState(repo, ['refs/heads/main']);
    const meeting = await meetingPlace(repo);
    const number = '$(grep -o "task [0-9]" "$LOOPWRIGHT_PROMPT_FILE" | head -1 | cut -c6)';
    await using project = await openedProject(repo, {
      agent: `command:echo x > "file-${number}.txt"; ${meet(meeting, 4)}`,
      // Each passes alone; 2 and 3 do not go together.
      validate: 'ls file-*.txt && ! { test -f file-2.txt && test -f file-3.txt; }',
      merge: 'local',
      base: 'main',
    });
    for (let n = 1; n <= 4; n++) await add(project, { title: `task ${n}` });
    const { loops } = await project.runReady({ jobs: 4 });
    const blocked = loops.filter(({ status }) => status === 'blocked');
    expect(blocked).toHaveLength(1);
    expect(blocked[0]).toMatchObject({
      reason: 'gate',
      text: expect.stringContaining('no longer passes its checks'),
    });
    expect(loops.filter(({ mergedInto }) => mergedInto === 'main')).toHaveLength(3);
    const files = (await repo.git('ls-tree', '--name-only', 'main')).match(/file-\d/g);
    expect(files).toHaveLength(3);
    expect(await isLinear(repo)).toBe(true);
    // What is on the branch of the one at fault is its own work alone.
    const branch = blocked[0]?.workspace.branch ?? '';
    expect((await repo.git('ls-tree', '--name-only', branch)).match(/file-\d/g)).toHaveLength(1);
    expect(await userState(repo, ['refs/heads/main'])).toEqual(before);
  });
});

import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { startModelServer } from '../../src/adapters/model-server/model-server.ts';
import { describe, expect, it } from 'vitest';
import { gitRepo } from '../support/git-repo.ts';
import { newestOfEachTask } from '../../src/core/loop/finishing.ts';
import { openedProject, type TestProject } from '../support/opened-project.ts';
import { shows } from '../support/shows.ts';

const add = (
  project: TestProject,
  task: Parameters<TestProject['engine']['store']['write']>[0] extends never
    ? never
    : {
        title: string;
        after?: string[];
        parentId?: string;
        maxRetries?: number;
        validation?: string;
      },
) =>
  project.engine.store.write((tx) =>
    tx.tasks.add(project.engine.ids.task(), task, project.engine.clock.now()),
  );

const status = async (project: TestProject, id: string) =>
  (await project.engine.store.read((tx) => tx.tasks.get(id)))?.status;

describe('run without a task', () => {
  it('works through everything that is ready, in the order of the dependencies', async () => {
    await using repo = await gitRepo();
    const agent = 'command:echo "$LOOPWRIGHT_TASK" > work.txt';
    await using project = await openedProject(repo, { agent, validate: 'test -f work.txt' });
    const first = await add(project, { title: 'first' });
    const last = await add(project, { title: 'last', after: [first.id] });
    const { loops, held } = await project.runReady();
    expect(loops.map(({ taskId, status: each }) => [taskId, each])).toEqual([
      [first.id, 'complete'],
      [last.id, 'complete'],
    ]);
    expect(held).toBe(false);
  });

  it('takes what waits behind a sign-in for work of the next run, by the newest loop of a task', async () => {
    await using repo = await gitRepo();
    await using server = await startModelServer({
      scenarios: { unsigned: () => ({ kind: 'status', status: 401 }) },
    });
    await repo.write(
      'loopwright.yml',
      'agent: native\nmodel-strategy: { name: fixed, model: m }\nvalidation: { command: test -f x }\n',
    );
    await repo.commitAll('configuration');
    const key = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: server.base('unsigned', 'all') };
    const signedOut = { path: repo.path, env: { ...repo.env, ...key } };
    await using project = await openedProject(signedOut, {});
    const first = await add(project, { title: 'first' });
    await add(project, { title: 'behind', after: [first.id] });
    const { loops, held } = await project.runReady();
    expect(loops).toMatchObject([{ status: 'blocked', reason: 'auth' }]);
    expect(held).toBe(false);
    // Another loop of the task fails: what the older one waits for does not matter any more.
    const other = { agent: 'command:true', validate: 'false', 'max-iterations': 1 };
    await using failing = await openedProject(repo, other);
    await failing.runTask(first.id, { fresh: true });
    expect(await status(failing, first.id)).toBe('failed');
    expect((await failing.runReady()).held).toBe(true);
  });

  it('says when only tasks behind a failed one are left', async () => {
    await using repo = await gitRepo();
    await using project = await openedProject(repo, {
      agent: 'command:true',
      validate: 'false',
      'max-iterations': 1,
    });
    const first = await add(project, { title: 'fails' });
    const behind = await add(project, { title: 'behind', after: [first.id] });
    const { loops, held } = await project.runReady();
    expect(loops).toHaveLength(1);
    expect(held).toBe(true);
    expect(await status(project, first.id)).toBe('failed');
    expect(await status(project, behind.id)).toBe('pending');
  });

  it('starts another loop when max-retries allows it, with attempts numbered on', async () => {
    await using repo = await gitRepo();
    const flags = { agent: 'command:echo x >> n.txt', validate: 'false', 'max-iterations': 2 };
    await using project = await openedProject(repo, flags);
    const task = await add(project, { title: 'again', maxRetries: 1 });
    const { loops } = await project.runReady();
    expect(loops).toHaveLength(2);
    expect(loops.map(({ iterations }) => iterations.map(({ attempt }) => attempt))).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect(await status(project, task.id)).toBe('failed');
  });

  it('starts another loop for one task that was named, too, and ends with the one that is complete', async () => {
    await using repo = await gitRepo();
    const flags = {
      agent: `command:echo x >> '${repo.outside}/n'; cp '${repo.outside}/n' n.txt`,
      validate: 'test "$(wc -l < n.txt)" -ge 3',
      'max-iterations': 1,
    };
    await using project = await openedProject(repo, flags);
    const task = await add(project, { title: 'again', maxRetries: 5 });
    const loops = await project.runTask(task.id);
    expect(loops.map((loop) => loop.status)).toEqual(['failed', 'failed', 'complete']);
    expect(newestOfEachTask(loops).map(({ id }) => id)).toEqual([loops[2]?.id]);
    expect(await status(project, task.id)).toBe('done');
  });

  it('runs the own validation of a parent when its children are done, without an agent', async () => {
    await using repo = await gitRepo();
    const flags = {
      agent: 'command:echo x > "child-$LOOPWRIGHT_TASK.txt"',
      validate: 'ls child-*.txt',
      merge: 'local',
    };
    await using project = await openedProject(repo, flags);
    const parent = await add(project, {
      title: 'parent',
      validation: 'test "$(ls child-*.txt | wc -l)" = 2',
    });
    await add(project, { title: 'one', parentId: parent.id });
    await add(project, {
      title: 'two',
      parentId: parent.id,
      validation: 'test "$(ls child-*.txt | wc -l)" = 2',
    });
    const { loops } = await project.runReady();
    expect(loops.map(({ title, status: each }) => [title, each])).toEqual([
      ['one', 'complete'],
      ['two', 'complete'],
      ['parent', 'complete'],
    ]);
    expect(loops.at(-1)?.iterations).toEqual([]);
    expect(await status(project, parent.id)).toBe('done');
  });

  it('leaves the task ready when something must be put right first', async () => {
    await using repo = await gitRepo();
    await using project = await openedProject(repo, { agent: 'command:true' });
    const task = await add(project, { title: 'no validator' });
    await expect(project.runReady()).rejects.toMatchObject({ code: 'run.no_validation' });
    expect(await status(project, task.id)).toBe('pending');
  });

  it('reuses the baseline of an equal base for the next loop', async () => {
    await using repo = await gitRepo();
    const validate = `echo run >> ${path.join(repo.outside, 'runs.txt')}; test -f work.txt`;
    await using project = await openedProject(repo, {
      agent: 'command:echo x > work.txt',
      validate,
    });
    await add(project, { title: 'one' });
    await add(project, { title: 'two' });
    const { loops } = await project.runReady();
    expect(loops).toHaveLength(2);
    const events = await project.engine.store.read((tx) => tx.loops.events(loops[1]!.id, 0, 100));
    expect(events.find(({ event }) => event.type === 'baseline.recorded')?.event).toMatchObject({
      reused: true,
    });
  });
});

describe('strategies', () => {
  it.each([
    ['fixed', { 'strategy-name': 'fixed' }, 3],
    ['hybrid', { 'strategy-name': 'hybrid' }, 3],
  ])('%s ends the loop by itself', async (_name, extra, expected) => {
    shows('003.runs-strategy');
    await using repo = await gitRepo();
    const flags = {
      agent: 'command:echo x >> n.txt',
      validate: 'false',
      strategy: extra['strategy-name'],
    };
    await using project = await openedProject(repo, flags);
    const loop = await project.runText('by strategy');
    expect(loop).toMatchObject({ status: 'failed', reason: 'strategy_stop' });
    expect(loop.iterations).toHaveLength(expected);
  });

  it('asks after each iteration with manual, and goes on when resumed', async () => {
    await using repo = await gitRepo();
    const flags = {
      agent: 'command:echo x >> n.txt',
      validate: 'test "$(wc -l < n.txt)" -ge 2',
      strategy: 'manual',
    };
    await using project = await openedProject(repo, flags);
    const asked = await project.runText('by hand');
    expect(asked).toMatchObject({ status: 'blocked', reason: 'approval' });
    expect((await project.resume(asked.id)).status).toBe('complete');
  });

  it('loads a custom module from the checkout and tells it once how the loop ended', async () => {
    shows('003.end-strategy-stop');
    await using repo = await gitRepo();
    const told = path.join(repo.outside, 'told.txt');
    await writeFile(
      path.join(repo.path, 'two.mjs'),
      `import { appendFileSync } from 'node:fs';
       export const strategy = {
         name: 'two',
         onIterationComplete: (event) => ({ continue: event.iteration < 2, reason: 'two is enough', feedback: 'FROM-STRATEGY' }),
         onLoopEnd: (event) => appendFileSync(${JSON.stringify(told)}, event.finalResult + '\\n'),
       };`,
    );
    await repo.write('loopwright.yml', 'strategy: { name: custom, module: two.mjs }\n');
    await repo.commitAll('strategy');
    await using project = await openedProject(repo, {
      agent: 'command:echo x >> n.txt',
      validate: 'false',
    });
    const loop = await project.runText('custom');
    expect(loop).toMatchObject({
      status: 'failed',
      reason: 'strategy_stop',
      text: 'two is enough',
    });
    expect(loop.iterations[0]?.decision?.feedback).toContain('FROM-STRATEGY');
    const { readFile } = await import('node:fs/promises');
    expect(await readFile(told, 'utf8')).toBe('strategy_stop\n');
  });

  it('goes on with a warning when the module breaks or disappears under it', async () => {
    await using repo = await gitRepo();
    const decides = "onIterationComplete: () => ({ continue: true, reason: 'on' }), onLoopEnd() {}";
    await repo.write('mine.mjs', `export const strategy = { name: 'mine', ${decides} };`);
    await repo.write('loopwright.yml', 'strategy: { name: custom, module: mine.mjs }\n');
    await repo.commitAll('strategy');
    const file = path.join(repo.path, 'mine.mjs');
    // A person changes branches while the loop works.
    const agent = `command:rm -f '${file}'; echo x >> n.txt`;
    const validate = 'test "$(wc -l < n.txt)" -ge 2';
    await using project = await openedProject(repo, { agent, validate });
    const loop = await project.runText('custom');
    expect(loop).toMatchObject({ status: 'complete' });
    expect(loop.warnings.join('\n')).toContain('strategy custom: the strategy module');
  });

  it('refuses a module of the wrong shape before anything is spent', async () => {
    await using repo = await gitRepo();
    await repo.write('bad.mjs', 'export const strategy = { name: 1 };');
    await repo.write('loopwright.yml', 'strategy: { name: custom, module: bad.mjs }\n');
    await repo.commitAll('strategy');
    await using project = await openedProject(repo, { agent: 'command:true', validate: 'false' });
    await expect(project.runText('bad')).rejects.toMatchObject({ code: 'strategy.invalid' });
  });
});

import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { NewTask } from '../../src/core/task/task.ts';
import { Dispatcher } from '../../src/engine/dispatcher.ts';
import { startSession } from '../../src/engine/session.ts';
import { gitRepo } from '../support/git-repo.ts';
import { openedProject, type TestProject } from '../support/opened-project.ts';

async function add(
  project: TestProject,
  title: string,
  priority: NewTask['priority'] = 'normal',
): Promise<string> {
  const { engine } = project;
  const task = { title, priority };
  return engine.store.write(
    async (tx) => (await tx.tasks.add(engine.ids.task(), task, engine.clock.now())).id,
  );
}

const slow = { timeout: 30_000 };
const loop = { inPlace: false, commit: true, verify: true, keepGoing: false };

it('a daemon’s loops wait for slots of the engine, in their order, and give them back', async () => {
  await using repo = await gitRepo();
  const hold = path.join(repo.outside, 'hold');
  const log = path.join(repo.outside, 'log');
  await writeFile(hold, '');
  await writeFile(log, '');
  const wait = `while [ -e '${hold}' ]; do sleep 0.05; done`;
  await using project = await openedProject(repo, {
    agent: `command:echo "$LOOPWRIGHT_TASK" >> '${log}'; ${wait}; echo x > work.txt`,
    validate: 'test -f work.txt',
  });
  const { engine } = project;
  const session = await startSession(engine, 'daemon');
  const dispatcher = new Dispatcher(engine, session, {
    run: {
      loop,
      allowDirty: false,
      session: 'daemon',
      planFor: (task) => project.planFor(task, true),
    },
    takesReady: true,
    limits: async () => ({ maxLoops: 50, maxAgents: 2 }),
    configMark: async () => 'same',
  });
  const started = async () => (await readFile(log, 'utf8')).split('\n').filter((id) => id !== '');
  for (const title of ['a', 'b', 'c', 'd']) await add(project, title);
  dispatcher.wake();
  await expect.poll(async () => (await started()).length, slow).toBe(2);
  const urgent = await add(project, 'urgent', 'critical');
  dispatcher.wake();
  await expect.poll(() => engine.slots.queue.places.length, slow).toBe(3);
  expect(engine.slots.queue).toMatchObject({
    // The critical one has begun beside them and waits for the first agent that ends.
    held: { loop: 3, agent: 2 },
    limits: { loop: 50, agent: 2 },
  });
  const [first] = await engine.store.read((tx) => tx.loops.list({ taskId: urgent, limit: 1 }));
  expect(engine.slots.queue.places[0]?.id).toBe(`agent:${first?.id}`);
  const obstacles = engine.slots.queue.places.map(({ obstacle }) => obstacle.kind);
  expect(obstacles).toEqual(['busy', 'busy', 'busy']);
  expect(await started()).toHaveLength(2);
  await rm(hold);
  const done = async () => (await engine.store.read((tx) => tx.tasks.counts())).done;
  await expect.poll(done, slow).toBe(5);
  expect((await started()).slice(2, 4)).toContain(urgent);
  dispatcher.interrupt('finish');
  await dispatcher.settled();
  expect(engine.slots.queue).toMatchObject({ places: [], held: { loop: 0, agent: 0 } });
});

it('loops of the native agent hold slots up to max-loops, however few agents there may be', async () => {
  await using repo = await gitRepo();
  const env = { ...repo.env, ANTHROPIC_API_KEY: 'key' };
  // The baseline lasts until the slots were looked at: no model is asked.
  const hold = path.join(repo.outside, 'hold');
  await writeFile(hold, '');
  await using project = await openedProject(
    { path: repo.path, env },
    { agent: 'native', validate: `while [ -e '${hold}' ]; do sleep 0.05; done; false` },
  );
  const { engine } = project;
  const session = await startSession(engine, 'daemon');
  const dispatcher = new Dispatcher(engine, session, {
    run: {
      loop,
      allowDirty: false,
      session: 'daemon',
      planFor: (task) => project.planFor(task, true),
    },
    takesReady: true,
    limits: async () => ({ maxLoops: 3, maxAgents: 1 }),
    configMark: async () => 'same',
  });
  for (const title of ['a', 'b', 'c', 'd']) await add(project, title);
  dispatcher.wake();
  await expect.poll(() => engine.slots.queue.held.loop, slow).toBe(3);
  dispatcher.interrupt('cut');
  await rm(hold);
  await dispatcher.settled();
  expect(engine.slots.queue.held.loop).toBe(0);
});

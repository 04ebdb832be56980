import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Task } from '../../src/core/task/task.ts';
import type { DoorKeeper } from '../../src/ports/door.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { openDoor } from '../../src/engine/loop-door.ts';
import { createPlaceOfTask } from '../../src/engine/place-of-task.ts';
import { RunControl, runLoops } from '../../src/engine/run-loops.ts';
import { sendMessage } from '../../src/engine/send-message.ts';
import { gitRepo } from '../support/git-repo.ts';
import { openedProject, type TestProject } from '../support/opened-project.ts';
import { shows } from '../support/shows.ts';

const never = new AbortController().signal;
const slow = { timeout: 30_000 };

async function add({ engine }: TestProject, title: string, priority: Task['priority']) {
  const task = { title, priority };
  return engine.store.write((tx) => tx.tasks.add(engine.ids.task(), task, engine.clock.now()));
}

describe('one slot, a loop of low priority and then a critical one', () => {
  it('the critical one has the agent first, and its requests go first', async () => {
    shows('002.slot-before-call');
    await using repo = await gitRepo();
    const log = path.join(repo.outside, 'log');
    await writeFile(log, '');
    await repo.write(
      'loopwright.yml',
      'scheduler: { max-loops: 5, max-agents: 1, max-api-calls: 1 }\n',
    );
    await repo.commitAll('limits');
    await using project = await openedProject(repo, {
      agent: `command:echo "$LOOPWRIGHT_TASK" >> '${log}'; echo x >> work.txt`,
      validate: 'test "$(wc -l < work.txt)" -ge 1',
    });
    const { engine } = project;
    const waiting = (kind: string, count: number) =>
      expect
        .poll(() => engine.slots.queue.places.filter((place) => place.kind === kind).length, slow)
        .toBe(count);
    const first = { kind: 'agent', key: 'first', provider: null, order: 0 } as const;
    await engine.slots.take(first, never);
    const low = await add(project, 'low', 'low');
    const run = (task: Task) =>
      runLoops(
        engine,
        { kind: 'task', taskId: task.id, fresh: false },
        {
          loop: { inPlace: false, commit: true, verify: true, keepGoing: false },
          allowDirty: false,
          session: 'daemon',
          planFor: (each) => project.planFor(each, true),
        },
        new RunControl(),
      );
    const running = [run(low)];
    await waiting('agent', 1);
    const critical = await add(project, 'critical', 'critical');
    running.push(run(critical));
    await waiting('agent', 2);
    engine.slots.give('agent', 'first');
    const loops = (await Promise.all(running)).flatMap((outcome) => outcome.loops);
    expect((await readFile(log, 'utf8')).trim().split('\n')).toEqual([critical.id, low.id]);

    // The same loops ask for requests, the low one first.
    const keepers: DoorKeeper[] = [];
    const doors: Engine['doors'] = {
      ...engine.doors,
      open: (_id, keeper) => Promise.reject(new Error(String(keepers.push(keeper)))),
    };
    for (const loop of loops) await openDoor({ ...engine, doors }, loop);
    const request = { kind: 'request', key: 'first', provider: null, order: 0 } as const;
    await engine.slots.take(request, never);
    const served: string[] = [];
    const asked = keepers.map(async (keeper, index) => {
      const give = await keeper.request(never);
      served.push(loops[index]?.title ?? '');
      give(null);
    });
    await waiting('request', 2);
    engine.slots.give('request', 'first');
    await Promise.all(asked);
    expect(served).toEqual(['critical', 'low']);
  });
});

describe('loops of the native agent', () => {
  it('need no slot for an agent, those of a program do', async () => {
    await using repo = await gitRepo();
    for (const [agent, needsAgent] of [
      ['native', false],
      ['command:true', true],
    ] as const) {
      const env = { ...repo.env, ANTHROPIC_API_KEY: 'key' };
      await using project = await openedProject(
        { path: repo.path, env },
        { agent, validate: 'false' },
      );
      const task = await add(project, agent, 'normal');
      const planFor = (each: Task) => project.planFor(each, true);
      const place = await createPlaceOfTask(project.engine, { planFor })(task);
      expect(place).toMatchObject({ needsAgent });
    }
  });
});

describe('a loop that waits for long', () => {
  it('has its slot again before it goes on, also when a message wakes it', async () => {
    await using repo = await gitRepo();
    await using project = await openedProject(repo, {
      agent: 'command:echo x >> work.txt',
      validate: 'test "$(wc -l < work.txt)" -ge 2',
      'iteration-delay': '4s',
    });
    const { engine } = project;
    const task = await add(project, 'slow', 'normal');
    const holds = () => engine.slots.holds('loop', task.id);
    const running = runLoops(
      engine,
      { kind: 'ready', limit: null },
      {
        loop: { inPlace: false, commit: true, verify: true, keepGoing: false },
        allowDirty: false,
        planFor: (each) => project.planFor(each, true),
      },
      new RunControl(),
    );
    await project.seen('agent.started');
    expect(holds()).toBe(true);
    await project.seen('loop.waiting');
    await expect.poll(holds, slow).toBe(false);
    const [row] = await engine.store.read((tx) => tx.loops.list({ limit: 1 }));
    await sendMessage(engine, { kind: 'alert', sender: null, to: row?.id ?? '', body: 'mind' });
    await project.seen('loop.woken');
    expect(holds()).toBe(true);
    const { loops } = await running;
    expect(loops).toMatchObject([{ status: 'complete' }]);
  });
});

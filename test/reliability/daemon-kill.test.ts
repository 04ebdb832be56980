import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRandom } from '../../src/adapters/clock/seeded-random.ts';
import { connected, readEvents, realDaemon } from '../support/daemon.ts';
import { gitRepo } from '../support/git-repo.ts';
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
const taskCount = isFull ? 20 : 4;
const kills = Number(process.env['LOOPWRIGHT_TEST_KILLS'] ?? (isFull ? 500 : 3));
/** Events between two kills, at most. */
const between = 25;
/** Enough work for the last kill to meet loops that still run; an iteration is more than ten events. */
const iterations = 2 + Math.ceil((kills * between) / (2 * 10 * taskCount));

describe('a daemon that is killed again and again', () => {
  it(`loses nothing and repeats nothing: ${taskCount} loops, ${kills} kills`, async () => {
    await using repo = await gitRepo();
    const agentLog = path.join(repo.outside, 'agent.log');
    await writeFile(
      path.join(repo.outside, 'agent.sh'),
      `echo "$LOOPWRIGHT_LOOP $LOOPWRIGHT_ITERATION" >> '${agentLog}'\nsleep 0.2\necho x >> n.txt\n`,
    );
    await repo.write(
      'loopwright.yml',
      `agent: "command:sh '${repo.outside}/agent.sh'"
validation: { command: 'test "$(wc -l < n.txt)" -ge ${iterations}' }
`,
    );
    await repo.commitAll('project');
    {
      await using opened = await openedProject(repo, {});
      const { store, ids, clock } = opened.engine;
      await store.write(async (tx) => {
        for (let index = 0; index < taskCount; index += 1)
          await tx.tasks.add(ids.task(), { title: `task ${index}` }, clock.now());
      });
    }
    const before = await userState(repo);
    const random = createRandom(7);
    for (let kill = 0; kill < kills; kill += 1) {
      const daemon = await realDaemon(repo);
      const { registration } = await connected(repo);
      using reader = readEvents(registration);
      // A moment is a number of events: the same on every machine, however slow. None left: nothing to kill.
      const moment = Math.floor(random.next() * between);
      const seen = () => reader.events.filter(({ event }) => event === 'recorded').length;
      await Promise.race([
        reader.until(() => seen() > moment).catch(() => {}),
        allRest(registration),
      ]);
      daemon.child.kill('SIGKILL');
      await daemon.ended;
      expect(await storeViolations(repo)).toEqual([]);
      expect(await userState(repo)).toEqual(before);
    }
    const last = await realDaemon(repo);
    await allRest((await connected(repo)).registration);
    last.child.kill('SIGTERM');
    expect((await last.ended).exitCode).toBe(0);

    const loops = await storedLoops(repo);
    expect(loops.map(({ loop }) => loop.status)).toEqual(loops.map(() => 'complete'));
    expect(new Set(loops.map(({ loop }) => loop.taskId)).size).toBe(taskCount);
    expect(loops).toHaveLength(taskCount);
    expect(await storeViolations(repo)).toEqual([]);
    expect(startViolations(await agentStarts(agentLog), loops)).toEqual([]);
    expect(await userState(repo)).toEqual(before);
    const branches = loops.map(({ loop }) => loop.id);
    expect(await leftoverViolations(repo, { branches })).toEqual([]);
  }, 7_200_000);
});

/** Resolves when every task is done, as the stream tells from its beginning. */
async function allRest(registration: Parameters<typeof readEvents>[0]): Promise<void> {
  using reader = readEvents(registration, '0');
  const complete = new Set<unknown>();
  await reader
    .until(({ data }) => {
      if (data['type'] === 'loop.rested' && data['status'] === 'complete')
        complete.add(data['loop']);
      return complete.size === taskCount;
    })
    .catch(() => {
      // The daemon was killed meanwhile.
    });
}

import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRandom } from '../../src/adapters/clock/seeded-random.ts';
import { connected, readEvents, realDaemon } from '../support/daemon.ts';
import { gitRepo } from '../support/git-repo.ts';
import {
  agentStarts,
  startViolations,
  storedLoops,
  storeViolations,
} from '../support/invariants.ts';
import { openedProject } from '../support/opened-project.ts';

const isFull = process.env['LOOPWRIGHT_TEST_FULL'] !== undefined;
const taskCount = isFull ? 20 : 4;
const kills = isFull ? 50 : 3;

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
validation: { command: 'test "$(wc -l < n.txt)" -ge 3' }
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
    const random = createRandom(7);
    for (let kill = 0; kill < kills; kill += 1) {
      const daemon = await realDaemon(repo);
      const { registration } = await connected(repo);
      using reader = readEvents(registration);
      // A moment is a number of events: the same on every machine, however slow. None left: nothing to kill.
      const moment = Math.floor(random.next() * 25);
      const seen = () => reader.events.filter(({ event }) => event === 'recorded').length;
      await Promise.race([
        reader.until(() => seen() > moment).catch(() => {}),
        allRest(registration),
      ]);
      daemon.child.kill('SIGKILL');
      await daemon.ended;
      expect(await storeViolations(repo)).toEqual([]);
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
  }, 1_800_000);
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

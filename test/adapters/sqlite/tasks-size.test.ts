import { DatabaseSync } from 'node:sqlite';
import { beforeAll, afterAll, describe, expect, test } from 'vitest';
import { createRandom } from '../../../src/adapters/clock/seeded-random.ts';
import { Connection } from '../../../src/adapters/sqlite/connection.ts';
import type { Sql } from '../../../src/adapters/sqlite/sql.ts';
import { dueQuery } from '../../../src/adapters/sqlite/tasks-cascade.ts';
import { claimNextQuery } from '../../../src/adapters/sqlite/tasks-claim.ts';
import { buildPlan, type FoundTask } from '../../../src/core/task/import-plan.ts';
import { importTasks } from '../../../src/engine/import-tasks.ts';
import { sqliteFixture } from './sqlite-fixture.ts';

const size = 10_000;
const edgesEach = 4;
const minEdges = 30_000;

/** Times are far above what a quiet machine needs: they catch a wrong order of growth, not a slow neighbour. */
describe('with ten thousand tasks and thirty thousand dependencies', () => {
  let fixture: Awaited<ReturnType<typeof sqliteFixture>>;
  let importMs = 0;

  beforeAll(async () => {
    fixture = await sqliteFixture();
    const plan = buildPlan('json', largePlan());
    importMs = await timed(() =>
      fixture.store.write(({ tasks }) => importTasks(tasks, plan, numberedIds(), 1000)),
    );
  }, 120_000);
  afterAll(() => fixture[Symbol.asyncDispose]());

  test('an import takes seconds, and doing it again changes nothing', async () => {
    expect(importMs).toBeLessThan(30_000);
    const edges = await fixture.store.read(({ tasks }) => tasks.edges());
    expect(edges.length).toBeGreaterThanOrEqual(minEdges);
    const again = fixture.store.write(({ tasks }) =>
      importTasks(tasks, buildPlan('json', largePlan()), numberedIds(), 2000),
    );
    expect(await again).toEqual({ added: 0, updated: 0, unchanged: size });
  });

  test('a claim takes well under a millisecond', async () => {
    const times: number[] = [];
    await fixture.store.write(async ({ tasks }) => {
      for (let index = 0; index < 100; index += 1) {
        const started = performance.now();
        const claim = await tasks.claim({
          owner: 'o',
          now: 5000,
          lease: { now: 5000, until: 6000 },
        });
        times.push(performance.now() - started);
        expect(claim).not.toBeNull();
        if (claim !== null) await tasks.transition(claim.taskId, 'done', { now: 5000, claim });
      }
    });
    expect(times.toSorted((a, b) => a - b)[50]).toBeLessThan(2);
  });

  test('lists, counts and the head of the queue take milliseconds', async () => {
    const times = await fixture.store.read(async ({ tasks }) => ({
      list: await timed(() => tasks.list({})),
      edges: await timed(() => tasks.edges()),
      counts: await timed(() => tasks.counts()),
      ready: await timed(() => tasks.ready(50)),
      resolve: await timed(() => tasks.resolve('task-5000')),
    }));
    expect(times.list).toBeLessThan(2000);
    expect(times.edges).toBeLessThan(2000);
    expect(times.counts).toBeLessThan(200);
    expect(times.ready).toBeLessThan(100);
    expect(times.resolve).toBeLessThan(200);
  });

  test.each(['never analysed', 'analysed'])('the claim reads tasks_ready alone (%s)', (state) => {
    if (state === 'analysed') analyse(fixture.file);
    const plan = explain(
      fixture.file,
      claimNextQuery({ owner: 'o', now: 1, lease: { now: 1, until: 2 } }),
    );
    expect(plan).toEqual([
      'SEARCH tasks USING INDEX sqlite_autoindex_tasks_1 (id=?)',
      'SCALAR SUBQUERY 1',
      'SCAN tasks USING INDEX tasks_ready',
    ]);
  });

  test('the look for cascades reads its own empty indexes', () => {
    const scans = explain(fixture.file, dueQuery).filter((line) => line.startsWith('SCAN tasks'));
    expect(scans).toEqual([
      'SCAN tasks USING INDEX tasks_unsettled',
      'SCAN tasks USING INDEX tasks_undated',
      'SCAN tasks USING INDEX tasks_outdated',
    ]);
  });
});

/** Groups of ten: a parent and nine children that depend on earlier children anywhere. */
function largePlan(): readonly FoundTask[] {
  const random = createRandom(7);
  return Array.from({ length: size }, (_, index) => {
    const isParent = index % 10 === 0;
    const after = new Set<string>();
    const wanted = isParent || index <= 20 ? 0 : edgesEach;
    while (after.size < wanted) {
      const target = Math.floor(random.next() * index);
      if (target % 10 !== 0) after.add(`n${target}`);
    }
    return {
      name: `n${index}`,
      title: `Task ${index}`,
      parent: isParent ? null : index - (index % 10),
      after: [...after],
      fields: { description: 'Some words about what is to be done. '.repeat(5) },
      status: 'pending',
      place: `tasks[${index}]`,
    };
  });
}

function numberedIds() {
  let next = 0;
  return {
    task: () => `t-${(next += 1).toString(16).padStart(8, '0')}`,
    loop: () => 'loop-1',
    learning: () => 'l-1',
    token: () => 'x',
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function analyse(file: string): void {
  using database = new DatabaseSync(file);
  database.exec('analyze');
}

function explain(file: string, { text, values }: Sql): readonly string[] {
  using connection = new Connection(file, { mode: 'read' });
  return connection.run(`explain query plan ${text}`, values).rows.map(detailOf);
}

function detailOf(row: unknown): string {
  return typeof row === 'object' && row !== null && 'detail' in row ? String(row.detail) : '';
}

import { isResting, loopStatuses } from '../core/loop/status.ts';
import type { Active, HeldTask, Needed, Overview, Owner } from '../ports/overview.ts';
import type { LoopRow } from '../ports/store.ts';
import type { Engine } from './engine.ts';
import { readQueues } from './tell-queue.ts';
import { readOutages } from './outages.ts';

const shownTasks = 5;
const shownLoops = 10;
const dayMs = 86_400_000;

/** What is going on, what waits for what, what needs a person. A few indexed reads, however many tasks there are. */
export async function readOverview(engine: Engine): Promise<Overview> {
  const driven = loopStatuses.filter((each) => !isResting(each));
  const found = await engine.store.read(async (tx) => {
    const rows = await tx.loops.list({ statuses: driven });
    const loops = await Promise.all(rows.map(({ id }) => tx.loops.get(id)));
    const later = await tx.tasks.waiting(shownTasks);
    const held: HeldTask[] = [];
    for (const task of later) {
      const after = await tx.tasks.dependenciesOf(task.id);
      held.push({ task, after: after.filter(({ status }) => status !== 'done') });
    }
    const dayUsd = await tx.loops.costSince(engine.clock.now() - dayMs);
    const blocked = await tx.loops.list({ statuses: ['blocked'], limit: shownLoops });
    return {
      rows,
      loops,
      held,
      dayUsd,
      needsYou: await Promise.all(
        blocked.map(async (row): Promise<Needed> => ({ row, loop: await tx.loops.get(row.id) })),
      ),
      left: await tx.loops.list({ statuses: ['paused', 'stopped'] }),
      pausedTasks: await tx.tasks.list({ status: 'paused' }),
      blockedTasks: await tx.tasks.list({ status: 'blocked' }),
      failedTasks: await tx.tasks.list({ status: 'failed' }),
      next: await tx.tasks.ready(shownTasks),
      counts: await tx.tasks.counts(),
    };
  });
  const active: Active[] = [];
  for (const [index, loop] of found.loops.entries()) {
    const row = found.rows[index];
    if (loop !== null && row !== undefined)
      active.push({ loop, row, owner: await ownerOf(engine, row) });
  }
  const known = new Set(found.needsYou.map(({ row }) => row.taskId));
  const tasks = [...found.blockedTasks, ...found.failedTasks].filter(({ id }) => !known.has(id));
  const { needsYou, next, held, counts } = found;
  const paused = found.pausedTasks
    .flatMap(({ id }) => found.left.find(({ taskId }) => taskId === id) ?? [])
    .slice(0, shownLoops);
  const queues = await readQueues(engine);
  const budget = { dayUsd: found.dayUsd, dayLimitUsd: engine.budget.limits.dayCostUsd };
  const outages = await readOutages(engine);
  const waiting = { queues, budget, outages };
  return { active, needsYou, paused, blockedTasks: tasks, next, held, counts, ...waiting };
}

async function ownerOf(engine: Engine, { owner }: LoopRow): Promise<Owner | null> {
  if (owner === null) return null;
  const session = await engine.store.read((tx) => tx.sessions.get(owner));
  if (session === null) return null;
  const { pid, host } = session.process;
  const isAlive = session.endedAt === null && (await engine.supervisor.isAlive(session.process));
  return { session: session.id, kind: session.kind, pid, host, isAlive };
}

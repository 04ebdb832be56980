import { sql } from 'kysely';
import { resolveTask } from '../../core/task/resolve.ts';
import { slugOf } from '../../core/task/slug.ts';
import { taskStatuses, type Task, type TaskStatus } from '../../core/task/task.ts';
import type { TaskFilter, Tasks } from '../../ports/store.ts';
import type { Db } from './schema.ts';
import { ready, requireRow, selectRows, toTask } from './tasks-row.ts';

export async function resolveReference(db: Db, reference: string): Promise<Task> {
  const wanted = reference.trim();
  const slug = slugOf(wanted);
  const matching = await selectRows(
    db,
    sql`where substr(id, 1, ${wanted.length}) = ${wanted} or (slug = ${slug} and slug <> '')
        order by sequence`,
  );
  if (wanted !== '' && matching.length > 0) return toTask(resolveTask(wanted, matching));
  const known = await db
    .selectFrom('tasks')
    .select(['id', 'title', 'slug'])
    .orderBy('sequence')
    .execute();
  const found = resolveTask(wanted, known);
  return toTask(await requireRow(db, found.id));
}

export async function listTasks(db: Db, filter: TaskFilter): Promise<readonly Task[]> {
  const status = filter.status === undefined ? sql`1 = 1` : sql`status = ${filter.status}`;
  const slug = filter.slug === undefined ? sql`1 = 1` : sql`slug = ${filter.slug}`;
  const where = sql`where ${status} and ${slug} and ${parentIs(filter)}`;
  const rows = await selectRows(db, sql`${where} order by sequence`);
  return rows.map(toTask);
}

function parentIs(filter: TaskFilter) {
  if (filter.parentId === undefined) return sql`1 = 1`;
  return filter.parentId === null ? sql`parent_id is null` : sql`parent_id = ${filter.parentId}`;
}

export async function dependenciesOf(db: Db, id: string): Promise<readonly Task[]> {
  const needed = sql`select depends_on from task_dependencies where task_id = ${id}`;
  return (await selectRows(db, sql`where id in (${needed}) order by sequence`)).map(toTask);
}

export async function dependentsOf(db: Db, id: string): Promise<readonly Task[]> {
  const waiting = sql`select task_id from task_dependencies where depends_on = ${id}`;
  return (await selectRows(db, sql`where id in (${waiting}) order by sequence`)).map(toTask);
}

export async function readyTasks(db: Db, limit: number): Promise<readonly Task[]> {
  const rows = await selectRows(
    db,
    sql`where ${ready} order by order_key, sequence limit ${limit}`,
  );
  return rows.map(toTask);
}

export async function waitingTasks(db: Db, limit: number): Promise<readonly Task[]> {
  const rows = await selectRows(
    db,
    sql`where status = 'pending' and blockers > 0 order by sequence limit ${limit}`,
  );
  return rows.map(toTask);
}

export async function countTasks(db: Db): ReturnType<Tasks['counts']> {
  const byStatus = await db
    .selectFrom('tasks')
    .select(['status', (expression) => expression.fn.countAll<number>().as('count')])
    .groupBy('status')
    .execute();
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from tasks where ${ready}`.execute(db);
  const counts = new Map(byStatus.map((row) => [row.status, row.count]));
  const count = (status: TaskStatus): number => counts.get(status) ?? 0;
  return { ...countAll(count), ready: rows[0]?.count ?? 0 };
}

function countAll(count: (status: TaskStatus) => number): Record<TaskStatus, number> {
  const [draft, pending, blocked, running, paused, done, failed, cancelled] = taskStatuses;
  return {
    [draft]: count(draft),
    [pending]: count(pending),
    [blocked]: count(blocked),
    [running]: count(running),
    [paused]: count(paused),
    [done]: count(done),
    [failed]: count(failed),
    [cancelled]: count(cancelled),
  };
}

export async function readLog(db: Db, id: string): ReturnType<Tasks['log']> {
  return db
    .selectFrom('task_log')
    .select(['time', 'type', 'text'])
    .where('task_id', '=', id)
    .orderBy('seq')
    .execute();
}

import { resolveTask } from '../../core/task/resolve.ts';
import { slugOf } from '../../core/task/slug.ts';
import { taskStatuses, type Task, type TaskStatus } from '../../core/task/task.ts';
import type { TaskFilter, Tasks } from '../../ports/store.ts';
import type { Db } from './schema.ts';
import { allOf, sql, type Sql } from './sql.ts';
import { ready, requireRow, selectRows, toTask, type TaskRow } from './tasks-row.ts';

export async function resolveReference(db: Db, reference: string): Promise<Task> {
  const wanted = reference.trim();
  const slug = slugOf(wanted);
  const matching = await selectRows(
    db,
    sql`where substr(id, 1, ${wanted.length}) = ${wanted} or (slug = ${slug} and slug <> '')
        order by sequence`,
  );
  if (wanted !== '' && matching.length > 0) return toTask(resolveTask(wanted, matching));
  const known = await db.all(
    sql<
      Pick<TaskRow, 'id' | 'title' | 'slug'>
    >`select id, title, slug from tasks order by sequence`,
  );
  const found = resolveTask(wanted, known);
  return toTask(await requireRow(db, found.id));
}

export async function listTasks(db: Db, filter: TaskFilter): Promise<readonly Task[]> {
  const status = filter.status === undefined ? null : sql`status = ${filter.status}`;
  const slug = filter.slug === undefined ? null : sql`slug = ${filter.slug}`;
  const where = allOf(status, slug, parentIs(filter));
  const rows = await selectRows(db, sql`where ${where} order by sequence`);
  return rows.map(toTask);
}

function parentIs(filter: TaskFilter): Sql | null {
  if (filter.parentId === undefined) return null;
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
  const byStatus = await db.all(
    sql<{ status: TaskStatus; count: number }>`
      select status, count(*) as count from tasks group by status`,
  );
  const { count: readyCount } = await db.one(
    sql<{ count: number }>`select count(*) as count from tasks where ${ready}`,
  );
  const counts = new Map(byStatus.map((row) => [row.status, row.count]));
  const count = (status: TaskStatus): number => counts.get(status) ?? 0;
  return { ...countAll(count), ready: readyCount };
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
  return db.all(sql`select time, type, text from task_log where task_id = ${id} order by seq`);
}

import { notFound } from '../../core/task/resolve.ts';
import type { Guidance, Task } from '../../core/task/task.ts';
import type { Db, TasksTable } from './schema.ts';
import { sql, type Sql } from './sql.ts';
import { parseStored } from './stored-json.ts';

export type TaskRow = Readonly<TasksTable>;

/**
 * The predicate of the index `tasks_ready`. Literals, not parameters, or SQLite does not use the index. The rest of
 * the definition of ready is true of every such row: a parent without its own validation is done before it gets there.
 */
export const ready = sql`status = 'pending' and blockers = 0 and open_children = 0 and held = 0`;

export function toTask(row: TaskRow): Task {
  return {
    id: row.id,
    title: row.title,
    description: row.description,
    parentId: row.parent_id,
    priority: row.priority,
    type: row.type,
    validation: row.validation,
    maxRetries: row.max_retries,
    retries: row.retries,
    status: row.status,
    reason: row.reason,
    guidance: row.guidance === '[]' ? [] : parseGuidance(row),
    summary: row.summary,
    blockers: row.blockers,
    children: row.children,
    openChildren: row.open_children,
    held: row.held,
    readySince: row.ready_since,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export function parseGuidance(row: Pick<TaskRow, 'id' | 'guidance'>): readonly Guidance[] {
  return parseStored<Guidance[]>(row.guidance, `the guidance of ${row.id}`);
}

export async function findRow(db: Db, id: string): Promise<TaskRow | null> {
  const [row] = await selectRows(db, sql`where id = ${id}`);
  return row ?? null;
}

/** Throws `task.not_found`. */
export async function requireRow(db: Db, id: string): Promise<TaskRow> {
  const row = await findRow(db, id);
  if (row === null) throw notFound(id, []);
  return row;
}

export async function selectRows(db: Db, rest: Sql): Promise<readonly TaskRow[]> {
  return db.all(sql<TaskRow>`select * from tasks ${rest}`);
}

/** Ids of everything above a task, for `id in`. */
export function ancestorsOf(id: string): Sql {
  return sql`(
    with recursive up (id) as (
      select parent_id from tasks where id = ${id}
      union all
      select t.parent_id from tasks t join up on t.id = up.id
    )
    select id from up where id is not null)`;
}

/** Ids of everything below a task, for `id in`. */
export function descendantsOf(id: string): Sql {
  return sql`(
    with recursive down (id) as (
      select id from tasks where parent_id = ${id}
      union all
      select t.id from tasks t join down on t.parent_id = down.id
    )
    select id from down)`;
}

export async function writeLog(
  db: Db,
  entry: {
    readonly taskId: string;
    readonly time: number;
    readonly type: string;
    readonly text: string;
  },
): Promise<void> {
  await db.run(sql`
    insert into task_log (task_id, seq, time, type, text)
    select ${entry.taskId}, coalesce(max(seq), 0) + 1, ${entry.time}, ${entry.type}, ${entry.text}
    from task_log where task_id = ${entry.taskId}`);
}

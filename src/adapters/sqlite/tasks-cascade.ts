import { cascadeOf, holdsDescendants, type Cascade } from '../../core/graph/cascade.ts';
import { msPerPoint, priorityPoints } from '../../core/graph/order.ts';
import { priorities, type TaskStatus } from '../../core/task/task.ts';
import type { Db } from './schema.ts';
import { sql, verbatim, type Sql } from './sql.ts';
import {
  ancestorsOf,
  descendantsOf,
  ready,
  selectRows,
  writeLog,
  type TaskRow,
} from './tasks-row.ts';

export type StatusChange = {
  readonly to: TaskStatus;
  readonly now: number;
  readonly reason?: string | null;
  readonly summary?: string | null;
  /** Counts as a further try of a failed task. */
  readonly retry?: boolean;
  /** The failed descendant that makes it blocked. */
  readonly blockedBy?: string;
  /** Since when it has been ready, if it keeps its place in the order. */
  readonly readySince?: number | null;
  readonly log: { readonly type: string; readonly text: string };
};

/** Writes a status with everything counted from it. The caller has checked the transition and settles afterwards. */
export async function changeStatus(db: Db, row: TaskRow, change: StatusChange): Promise<void> {
  const { to, now } = change;
  await db.run(sql`
    update tasks set
      status = ${to}, reason = ${keptReason(change)}, blocked_by = ${change.blockedBy ?? null},
      summary = ${to === 'done' ? (change.summary ?? row.summary) : null},
      retries = retries + ${change.retry === true ? 1 : 0}, ready_since = ${change.readySince ?? null},
      claimed_by = null, lease_until = null, updated_at = ${now}
    where id = ${row.id}`);
  await countDone(db, row, to);
  await countFailed(db, row, to);
  await countHeld(db, row, to);
  await writeLog(db, { taskId: row.id, time: now, ...change.log });
}

function keptReason(change: StatusChange): string | null {
  const explains = change.to === 'blocked' || holdsDescendants(change.to);
  return explains ? (change.reason ?? null) : null;
}

async function countDone(db: Db, row: TaskRow, to: TaskStatus): Promise<void> {
  const step = Number(row.status === 'done') - Number(to === 'done');
  if (step === 0) return;
  await db.run(sql`
    update tasks set blockers = blockers + ${step}
    where id in (select task_id from task_dependencies where depends_on = ${row.id})`);
  if (row.parent_id === null) return;
  await db.run(
    sql`update tasks set open_children = open_children + ${step} where id = ${row.parent_id}`,
  );
}

async function countFailed(db: Db, row: TaskRow, to: TaskStatus): Promise<void> {
  const step = Number(to === 'failed') - Number(row.status === 'failed');
  if (step !== 0 && row.parent_id !== null) await addFailedAbove(db, row.id, step);
}

/** Ancestors that named a descendant which may not be failed any more have to name another one. */
export async function addFailedAbove(db: Db, id: string, step: number): Promise<void> {
  const named =
    step < 0 ? sql`case when blocked_by is null then null else '' end` : sql`blocked_by`;
  await db.run(sql`
    update tasks set failed_below = failed_below + ${step}, blocked_by = ${named}
    where id in ${ancestorsOf(id)}`);
}

async function countHeld(db: Db, row: TaskRow, to: TaskStatus): Promise<void> {
  const step = Number(holdsDescendants(to)) - Number(holdsDescendants(row.status));
  if (step !== 0 && row.children > 0) await addHeldBelow(db, row.id, step);
}

export async function addHeldBelow(db: Db, id: string, step: number): Promise<void> {
  await db.run(sql`update tasks set held = held + ${step} where id in ${descendantsOf(id)}`);
}

/** The predicate of the index `tasks_unsettled`, word for word: rows for which `cascadeOf` names a move. */
const unsettled = sql`(status = 'done' and open_children > 0)
    or (status = 'pending' and failed_below > 0)
    or (status = 'pending' and children > 0 and open_children = 0 and blockers = 0 and validation is null)
    or (blocked_by is not null and failed_below = 0)
    or blocked_by = ''`;

/**
 * Moves relatives until none has a move due, then dates what became ready. Costs one look into empty indexes when
 * there is nothing to do. Ends, because reopening only goes up the tree and everything else makes a graph without
 * cycles more finished.
 */
export async function settle(db: Db, now: number): Promise<void> {
  let due = await lookForDue(db);
  while (due.moves > 0) {
    await makeMoves(db, now);
    due = await lookForDue(db);
  }
  if (due.dates > 0) await dateReady(db, now);
}

/** The predicates are those of the indexes `tasks_undated` and `tasks_outdated`. */
const undated = sql`${ready} and ready_since is null`;
const outdated = sql`ready_since is not null and status <> 'running' and not (${ready})`;

type Due = { readonly moves: number; readonly dates: number };

async function lookForDue(db: Db): Promise<Due> {
  return db.one(dueQuery);
}

export const dueQuery = sql<Due>`
  select
    (select count(*) from tasks where ${unsettled}) as moves,
    (select count(*) from tasks where ${undated}) + (select count(*) from tasks where ${outdated}) as dates`;

async function makeMoves(db: Db, now: number): Promise<void> {
  const rows = await selectRows(db, sql`where ${unsettled} order by sequence`);
  const moves = rows.map((row) => ({ row, move: moveOf(row) }));
  const reopened = moves.filter(({ move }) => move === 'reopen');
  for (const { row, move } of reopened.length > 0 ? reopened : moves) {
    await makeMove(db, row, move, now);
  }
}

function moveOf(row: TaskRow): Cascade | null {
  return cascadeOf({
    status: row.status,
    blockers: row.blockers,
    children: row.children,
    openChildren: row.open_children,
    validation: row.validation,
    failedBelow: row.failed_below,
    blockedBy: row.blocked_by,
  });
}

async function makeMove(db: Db, row: TaskRow, move: Cascade | null, now: number): Promise<void> {
  switch (move) {
    case 'reopen':
      return changeStatus(db, row, {
        to: 'pending',
        now,
        log: { type: 'task.reopened', text: 'a subtask is open' },
      });
    case 'unblock':
      return changeStatus(db, row, {
        to: 'pending',
        now,
        log: { type: 'task.reopened', text: 'no subtask is failed any more' },
      });
    case 'finish':
      return changeStatus(db, row, {
        to: 'done',
        now,
        log: { type: 'task.done', text: 'all subtasks are done' },
      });
    case 'block':
      return block(db, row, now);
    case null:
      return;
  }
}

async function block(db: Db, row: TaskRow, now: number): Promise<void> {
  const cause = await failedBelow(db, row.id);
  const reason = `subtask ${cause.id} “${cause.title}” failed`;
  if (row.status === 'pending') {
    const log = { type: 'task.blocked', text: reason };
    return changeStatus(db, row, { to: 'blocked', now, reason, blockedBy: cause.id, log });
  }
  await db.run(sql`
    update tasks set reason = ${reason}, blocked_by = ${cause.id}, updated_at = ${now}
    where id = ${row.id}`);
}

/** The first failed descendant; goes only where the counters say there is one. */
async function failedBelow(
  db: Db,
  id: string,
): Promise<{ readonly id: string; readonly title: string }> {
  const rows = await db.all(sql<{ id: string; title: string }>`
    with recursive down (id) as (
      select id from tasks where parent_id = ${id} and (status = 'failed' or failed_below > 0)
      union all
      select t.id from tasks t join down on t.parent_id = down.id
      where t.status = 'failed' or t.failed_below > 0
    )
    select id, title from tasks where id in (select id from down) and status = 'failed'
    order by sequence limit 1`);
  return rows[0] ?? { id, title: 'unknown' };
}

/** Tasks that became ready get their time and place in the order; those that are no longer ready lose it. */
async function dateReady(db: Db, now: number): Promise<void> {
  await db.run(sql`
    update tasks set ready_since = ${now}, order_key = ${orderKeySql(now)}
    where ${undated}`);
  await db.run(sql`update tasks set ready_since = null where ${outdated}`);
}

const byPriority = priorities
  .map((name) => `when '${name}' then ${priorityPoints[name] * msPerPoint}`)
  .join(' ');

/** `orderKey` of core, for any number of rows. */
export function orderKeySql(readySince: number | Sql): Sql {
  return sql`cast(${readySince} as bigint) - case priority ${verbatim(byPriority)} end`;
}

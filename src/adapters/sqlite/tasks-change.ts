import { holdsDescendants } from '../../core/graph/cascade.ts';
import { orderKey } from '../../core/graph/order.ts';
import { assertTransition } from '../../core/graph/transitions.ts';
import { LoopwrightError } from '../../core/error.ts';
import { notFound } from '../../core/task/resolve.ts';
import { slugOf, titleOf } from '../../core/task/slug.ts';
import type { NewTask, Task } from '../../core/task/task.ts';
import { listed } from './json-list.ts';
import type { Db } from './schema.ts';
import { sql } from './sql.ts';
import {
  addFailedAbove,
  addHeldBelow,
  changeStatus,
  orderKeySql,
  settle,
} from './tasks-cascade.ts';
import { assertCanAdd, assertCanDepend, assertCanMove } from './tasks-cycle.ts';
import { descendantsOf, requireRow, toTask, type TaskRow } from './tasks-row.ts';

export async function addTask(db: Db, id: string, task: NewTask, now: number): Promise<Task> {
  const title = checkedTitle(task.title);
  const parentId = task.parentId ?? null;
  const after = distinct(task.after ?? []);
  const parent = parentId === null ? null : await requireRow(db, parentId);
  const blockers = await countOpen(db, after);
  await assertCanAdd(db, { id, title, parentId }, after);
  // Nothing that follows changes the new row: it has no children, and its readiness is already in it.
  const row = await insertTask(db, { id, task, title, parent, blockers, now });
  await insertEdges(db, id, after);
  if (parent !== null) {
    await countChild(db, parent.id, 1, row.status !== 'done');
    await settle(db, now);
  }
  return toTask(row);
}

type Insertion = {
  readonly id: string;
  readonly task: NewTask;
  readonly title: string;
  readonly parent: TaskRow | null;
  readonly blockers: number;
  readonly now: number;
};

async function insertTask(
  db: Db,
  { id, task, title, parent, blockers, now }: Insertion,
): Promise<TaskRow> {
  const status = task.status ?? 'pending';
  const priority = task.priority ?? 'normal';
  const held = parent === null ? 0 : heldUnder(parent);
  const isReady = status === 'pending' && blockers === 0 && held === 0;
  const rows = await db.all(sql<TaskRow>`
    insert into tasks (
      id, title, slug, description, parent_id, priority, type, validation, max_retries, status,
      blockers, held, ready_since, order_key, sequence, created_at, updated_at)
    select
      ${id}, ${title}, ${slugOf(title)}, ${task.description ?? ''}, ${parent?.id ?? null}, ${priority},
      ${task.type ?? null}, ${task.validation ?? null}, ${checkedRetries(task.maxRetries ?? 0)}, ${status},
      ${blockers}, ${held}, ${isReady ? now : null}, ${isReady ? orderKey(now, priority) : 0},
      coalesce(max(sequence), 0) + 1, ${now}, ${now}
    from tasks
    returning *`);
  return rows[0] ?? requireRow(db, id);
}

export async function editTask(
  db: Db,
  id: string,
  change: Partial<NewTask>,
  now: number,
): Promise<Task> {
  const row = await requireRow(db, id);
  if (fieldNames.some((name) => change[name] !== undefined)) {
    await editFields(db, row, change, now);
  }
  // Only the graph as it will be may be judged: old dependencies go before the move is checked.
  if (change.after !== undefined) await clearDependencies(db, id);
  if (change.parentId !== undefined && change.parentId !== row.parent_id) {
    await moveTask(db, row, change.parentId, now);
  }
  if (change.after !== undefined) await setDependencies(db, row, distinct(change.after), now);
  if (change.status !== undefined && change.status !== row.status) {
    assertTransition(row, change.status);
    // The move above may have changed what hangs on the status.
    const moved = await requireRow(db, id);
    const log = { type: `task.${change.status}`, text: 'edited' };
    await changeStatus(db, moved, { to: change.status, now, log });
  }
  await settle(db, now);
  return toTask(await requireRow(db, id));
}

const fieldNames = [
  'title',
  'description',
  'priority',
  'type',
  'validation',
  'maxRetries',
] as const;

async function editFields(
  db: Db,
  row: TaskRow,
  change: Partial<NewTask>,
  now: number,
): Promise<void> {
  const title = change.title === undefined ? row.title : checkedTitle(change.title);
  const priority = change.priority ?? row.priority;
  const { type = row.type, validation = row.validation, description = row.description } = change;
  await db.run(sql`
    update tasks set
      title = ${title}, slug = ${slugOf(title)}, description = ${description}, priority = ${priority},
      type = ${type}, validation = ${validation},
      max_retries = ${checkedRetries(change.maxRetries ?? row.max_retries)}, updated_at = ${now}
    where id = ${row.id}`);
  if (priority === row.priority || row.ready_since === null) return;
  await db.run(
    sql`update tasks set order_key = ${orderKeySql(row.ready_since)} where id = ${row.id}`,
  );
}

/** Takes the task with everything below it to another parent, and what the ancestors count with it. */
async function moveTask(db: Db, row: TaskRow, parentId: string | null, now: number): Promise<void> {
  const parent = parentId === null ? null : await requireRow(db, parentId);
  if (parent !== null) await assertCanMove(db, row.id, parent.id);
  const failed = row.failed_below + Number(row.status === 'failed');
  const isOpen = row.status !== 'done';
  if (row.parent_id !== null) {
    await countChild(db, row.parent_id, -1, isOpen);
    if (failed > 0) await addFailedAbove(db, row.id, -failed);
  }
  const step = (parent === null ? 0 : heldUnder(parent)) - row.held;
  await db.run(sql`
    update tasks set parent_id = ${parentId}, held = held + ${step}, updated_at = ${now} where id = ${row.id}`);
  if (step !== 0 && row.children > 0) await addHeldBelow(db, row.id, step);
  if (parent === null) return;
  await countChild(db, parent.id, 1, isOpen);
  if (failed > 0) await addFailedAbove(db, row.id, failed);
}

async function clearDependencies(db: Db, id: string): Promise<void> {
  await db.run(sql`delete from task_dependencies where task_id = ${id}`);
}

async function setDependencies(
  db: Db,
  row: TaskRow,
  after: readonly string[],
  now: number,
): Promise<void> {
  const blockers = await countOpen(db, after);
  await assertCanDepend(db, row, after);
  await insertEdges(db, row.id, after);
  await db.run(sql`
    update tasks set blockers = ${blockers}, updated_at = ${now} where id = ${row.id}`);
}

export async function addDependency(
  db: Db,
  taskId: string,
  dependsOn: string,
  now: number,
): Promise<void> {
  const row = await requireRow(db, taskId);
  const [known] = await selectEdge(db, taskId, dependsOn);
  if (known !== undefined) return;
  const blockers = await countOpen(db, [dependsOn]);
  await assertCanDepend(db, row, [dependsOn]);
  await insertEdges(db, taskId, [dependsOn]);
  await changeBlockers(db, taskId, blockers, now);
}

export async function removeDependency(
  db: Db,
  taskId: string,
  dependsOn: string,
  now: number,
): Promise<void> {
  await requireRow(db, taskId);
  const [known] = await selectEdge(db, taskId, dependsOn);
  if (known === undefined) return;
  const blockers = await countOpen(db, [dependsOn]);
  await db.run(sql`
    delete from task_dependencies where task_id = ${taskId} and depends_on = ${dependsOn}`);
  await changeBlockers(db, taskId, -blockers, now);
}

async function changeBlockers(db: Db, id: string, step: number, now: number): Promise<void> {
  await db.run(sql`
    update tasks set blockers = blockers + ${step}, updated_at = ${now} where id = ${id}`);
  await settle(db, now);
}

/** Removes the task and everything below it; refused while any of that is worked on. */
export async function deleteTask(db: Db, id: string): Promise<void> {
  const row = await requireRow(db, id);
  const inside = sql`(id = ${id} or id in ${descendantsOf(id)})`;
  const running = await db.all(sql<{ id: string; title: string }>`
    select id, title from tasks where status = 'running' and ${inside} limit 1`);
  if (running[0] !== undefined) throw stillRunning(row, running[0]);
  const now = await latestTime(db);
  await db.run(sql`
    update tasks set blockers = blockers - (
      select count(*) from task_dependencies d join tasks n on n.id = d.depends_on
      where d.task_id = tasks.id and n.status <> 'done' and n.id in (select id from tasks where ${inside}))
    where id in (
      select task_id from task_dependencies
      where depends_on in (select id from tasks where ${inside}))`);
  if (row.parent_id !== null) {
    await countChild(db, row.parent_id, -1, row.status !== 'done');
    const failed = row.failed_below + Number(row.status === 'failed');
    if (failed > 0) await addFailedAbove(db, id, -failed);
  }
  await db.run(sql`delete from tasks where ${inside}`);
  await settle(db, now);
}

function stillRunning(
  row: TaskRow,
  running: { readonly id: string; readonly title: string },
): LoopwrightError {
  return new LoopwrightError(
    'task.running',
    `task ${row.id} cannot be deleted: ${running.id} “${running.title}” is being worked on`,
    { hint: 'Stop its loop first.', details: { taskId: row.id, running: running.id } },
  );
}

/** Deleting carries no time of its own; what becomes ready by it is dated by the newest change. */
async function latestTime(db: Db): Promise<number> {
  const rows = await db.all(sql<{ time: number | null }>`
    select max(updated_at) as time from tasks`);
  return rows[0]?.time ?? 0;
}

function checkedTitle(text: string): string {
  const title = titleOf(text);
  if (title === '') throw new LoopwrightError('task.title', 'a task needs a title');
  return title;
}

function checkedRetries(maxRetries: number): number {
  if (Number.isSafeInteger(maxRetries) && maxRetries >= 0) return maxRetries;
  throw new LoopwrightError('task.max_retries', `max-retries cannot be ${maxRetries}`, {
    hint: 'Give a whole number, 0 for none.',
  });
}

function heldUnder(parent: TaskRow): number {
  return parent.held + Number(holdsDescendants(parent.status));
}

async function countChild(db: Db, parentId: string, step: 1 | -1, isOpen: boolean): Promise<void> {
  await db.run(sql`
    update tasks set children = children + ${step}, open_children = open_children + ${isOpen ? step : 0}
    where id = ${parentId}`);
}

/** How many of these are not done. Throws `task.not_found` for one that is not stored. */
async function countOpen(db: Db, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const rows = await db.all(
    sql<Pick<TaskRow, 'id' | 'status'>>`select id, status from tasks where id in ${listed(ids)}`,
  );
  if (rows.length < ids.length) {
    const found = new Set(rows.map((row) => row.id));
    throw notFound(ids.find((id) => !found.has(id)) ?? '', []);
  }
  return rows.filter((row) => row.status !== 'done').length;
}

async function selectEdge(db: Db, taskId: string, dependsOn: string): Promise<readonly unknown[]> {
  return db.all(sql`
    select task_id from task_dependencies where task_id = ${taskId} and depends_on = ${dependsOn}`);
}

async function insertEdges(db: Db, id: string, after: readonly string[]): Promise<void> {
  if (after.length === 0) return;
  await db.run(sql`
    insert into task_dependencies (task_id, depends_on)
    select ${id}, value from json_each(${JSON.stringify(after)})`);
}

function distinct(ids: readonly string[]): readonly string[] {
  return [...new Set(ids)];
}

import { isWorkable } from '../../core/graph/ready.ts';
import { assertTransition } from '../../core/graph/transitions.ts';
import { LoopwrightError } from '../../core/error.ts';
import type { Task, TaskStatus } from '../../core/task/task.ts';
import type { ClaimInput, TaskClaim, TransitionInput } from '../../ports/store.ts';
import type { Db } from './schema.ts';
import { sql, type Sql } from './sql.ts';
import { changeStatus, settle } from './tasks-cascade.ts';
import {
  findRow,
  ready,
  requireRow,
  selectRows,
  toTask,
  writeLog,
  type TaskRow,
} from './tasks-row.ts';

export async function transitionTask(
  db: Db,
  id: string,
  to: TaskStatus,
  input: TransitionInput,
): Promise<Task> {
  const row = await requireRow(db, id);
  if (input.claim !== undefined) assertHeld(row, input.claim);
  assertTransition(row, to);
  if (to === 'running') throw needsClaim(row);
  const { now, reason = null, summary = null, retry = false } = input;
  const text = reason ?? (input.claim === undefined ? 'by hand' : `by ${input.claim.owner}`);
  await changeStatus(db, row, {
    to,
    now,
    reason,
    summary,
    retry,
    log: { type: `task.${to}`, text },
  });
  await settle(db, now);
  return toTask(await requireRow(db, id));
}

function assertHeld(row: TaskRow, claim: TaskClaim): void {
  if (row.claimed_by === claim.owner && row.token === claim.token) return;
  throw new LoopwrightError(
    'store.fenced',
    `task ${row.id} is not held by ${claim.owner} any more`,
    {
      details: { taskId: row.id, token: claim.token, newest: row.token },
    },
  );
}

function needsClaim(row: TaskRow): LoopwrightError {
  return new LoopwrightError('task.transition', `task ${row.id} becomes running only by a claim`, {
    details: { taskId: row.id, from: row.status, to: 'running' },
  });
}

export async function claimTask(db: Db, input: ClaimInput): Promise<TaskClaim | null> {
  await freeTasks(db, input);
  const claim =
    input.taskId === undefined
      ? await claimNext(db, input)
      : await claimNamed(db, input.taskId, input);
  if (claim === null) return null;
  const text = `by ${input.owner}`;
  await writeLog(db, { taskId: claim.taskId, time: input.now, type: 'task.claimed', text });
  return claim;
}

export async function claimOf(db: Db, id: string): Promise<TaskClaim | null> {
  const row = await findRow(db, id);
  if (row === null || row.claimed_by === null) return null;
  return { taskId: id, owner: row.claimed_by, token: row.token };
}

/** Gives back what stands in the way of this claim: an ended lease of the named task, tasks of an owner that is gone. */
async function freeTasks(db: Db, { taskId, takeOver, now, lease }: ClaimInput): Promise<void> {
  if (taskId === undefined && takeOver === undefined) return;
  const gone = takeOver === undefined ? sql`1 = 0` : sql`claimed_by = ${takeOver}`;
  const held =
    taskId === undefined ? gone : sql`id = ${taskId} and (lease_until <= ${lease.now} or ${gone})`;
  const rows = await selectRows(
    db,
    sql`where lease_until is not null and ${held} order by sequence`,
  );
  for (const row of rows) await expire(db, row, lease.now, now);
  if (rows.length > 0) await settle(db, now);
}

async function claimNext(db: Db, input: ClaimInput): Promise<TaskClaim | null> {
  const row = await db.first(claimNextQuery(input));
  return row === undefined ? null : { taskId: row.id, owner: input.owner, token: row.token };
}

/** One statement, so that two workers never take one task; it reads the index `tasks_ready` alone to choose. */
export function claimNextQuery(input: ClaimInput): Sql<{ id: string; token: number }> {
  return sql`
    update tasks set
      status = 'running', claimed_by = ${input.owner}, lease_until = ${input.lease.until}, token = token + 1,
      updated_at = ${input.now}
    where id = (select id from tasks where ${ready} order by order_key, sequence limit 1)
    returning id, token`;
}

/**
 * A person may start what the scheduler would not: a task that rests, or one whose dependencies are open. A parent is
 * worked on only when it is due for its own validation.
 */
async function claimNamed(db: Db, id: string, input: ClaimInput): Promise<TaskClaim | null> {
  const row = await findRow(db, id);
  if (row === null || !isClaimable(row)) return null;
  if (row.status !== 'pending') {
    const log = { type: 'task.resumed', text: `was ${row.status}` };
    await changeStatus(db, row, { to: 'running', now: input.now, log });
  }
  const rows = await db.all(sql<{ token: number }>`
    update tasks set
      status = 'running', claimed_by = ${input.owner}, lease_until = ${input.lease.until}, token = token + 1,
      updated_at = ${input.now}
    where id = ${id}
    returning token`);
  await settle(db, input.now);
  return rows[0] === undefined ? null : { taskId: id, owner: input.owner, token: rows[0].token };
}

function isClaimable(row: TaskRow): boolean {
  const { status, children, validation } = row;
  const startable =
    status === 'pending' || status === 'paused' || status === 'failed' || status === 'blocked';
  return startable && isWorkable({ children, openChildren: row.open_children, validation });
}

/** False when the claim was lost. */
export async function renewClaim(db: Db, claim: TaskClaim, until: number): Promise<boolean> {
  const changed = await db.run(sql`
    update tasks set lease_until = ${until}
    where id = ${claim.taskId} and claimed_by = ${claim.owner} and token = ${claim.token}`);
  return changed === 1;
}

/** Gives the task back in its old place of the order. A claim that was lost has nothing to give back. */
export async function releaseClaim(db: Db, claim: TaskClaim): Promise<void> {
  const row = await findRow(db, claim.taskId);
  if (row === null || row.claimed_by !== claim.owner || row.token !== claim.token) return;
  // Releasing carries no time of its own; the newest one known is that of the claim.
  await giveBack(db, row, row.updated_at, { type: 'task.released', text: `by ${claim.owner}` });
  await settle(db, row.updated_at);
}

export async function expireLeases(
  db: Db,
  leaseTime: number,
  now: number,
): Promise<readonly string[]> {
  const rows = await selectRows(
    db,
    sql`where lease_until is not null and lease_until <= ${leaseTime} order by sequence`,
  );
  for (const row of rows) await expire(db, row, leaseTime, now);
  if (rows.length > 0) await settle(db, now);
  return rows.map((row) => row.id);
}

async function expire(db: Db, row: TaskRow, leaseTime: number, now: number): Promise<void> {
  const owner = row.claimed_by ?? 'nobody';
  const ended = row.lease_until !== null && row.lease_until <= leaseTime;
  const log = ended
    ? { type: 'lease.expired', text: `the lease of ${owner} ended` }
    : { type: 'task.taken_over', text: `from ${owner}` };
  await giveBack(db, row, now, log);
}

async function giveBack(
  db: Db,
  row: TaskRow,
  now: number,
  log: { readonly type: string; readonly text: string },
): Promise<void> {
  await changeStatus(db, row, { to: 'pending', now, readySince: row.ready_since, log });
}

import { LoopwrightError, isLoopwrightError } from '../../core/error.ts';
import type { RecordedEvent } from '../../core/loop/event.ts';
import { withNewKeys } from '../../core/config/frozen.ts';
import { storedDifferences } from '../../core/loop/stored-state.ts';
import { evolve } from '../../core/loop/evolve.ts';
import { loopCost, type Iteration, type Loop } from '../../core/loop/loop.ts';
import type { AppendInput, FoldedLoop, LoopFilter, LoopRow, Loops } from '../../ports/store.ts';
import { appendEvents, newestPosition, readEvents, readFeed } from './event-log.ts';
import { foldLog } from './fold-log.ts';
import { rewriteIterations, writeChangedIterations } from './iterations.ts';
import { listed } from './json-list.ts';
import type { Db, EventsTable, IterationsTable, LoopsTable } from './schema.ts';
import { locate } from './places.ts';
import { allOf, assigned, inserted, sql, type Sql } from './sql.ts';
import { parseStored } from './stored-json.ts';

/** Loops over one transaction. Their workspaces are told as they are in a project at `root`, and stored as recorded. */
export function createLoops(db: Db, root: string | null): Loops {
  return {
    create: (event, time) => createLoop(db, { seq: 1, time, elapsedMs: 0, event }),
    append: (input) => append(db, root, input),
    get: (id) => getLoop(db, root, id),
    folded: (id) => foldedLoop(db, root, id),
    rebuild: (id) => rebuild(db, id),
    list: (filter) => listLoops(db, filter),
    iteration: (loopId, number) => getIteration(db, loopId, number),
    events: (loopId, since, limit) => readEvents(db, loopId, since, limit),
    feed: (after, limit) => readFeed(db, after, limit),
    position: () => newestPosition(db),
    verifyChain: (loopId) => verifyChain(db, loopId),
    delete: (id) => deleteLoop(db, id),
    costSince: (time) => costSince(db, time),
    countAttempts: (taskId) => countAttempts(db, taskId),
    token: async (id) => (await selectFence(db, id)).token,
  };
}

async function createLoop(db: Db, recorded: RecordedEvent): Promise<Loop> {
  const loop = evolveAll(null, [recorded]);
  const row = inserted<LoopsTable>({
    id: loop.id,
    task_id: loop.taskId,
    title: loop.title,
    created_at: loop.createdAt,
    sequence: sql`(select coalesce(max(sequence), 0) + 1 from loops)`,
    ...projection(loop),
  });
  await db.run(sql`insert into loops ${row}`);
  await appendEvents(db, loop.id, 0, [recorded]);
  return loop;
}

async function append(
  db: Db,
  root: string | null,
  input: AppendInput,
): Promise<{ readonly loop: Loop; readonly recorded: readonly RecordedEvent[] }> {
  const recorded = record(input);
  const loop = evolveAll(input.loop, recorded);
  await updateFenced(db, root, input, loop);
  await appendEvents(db, loop.id, input.loop.seq, recorded);
  await writeChangedIterations(db, input.loop, loop);
  return { loop, recorded };
}

/** The elapsed time belongs to the batch, so only its first event carries it. */
function record(input: AppendInput): readonly RecordedEvent[] {
  const elapsedMs = Math.max(0, Math.round(input.elapsedMs));
  return input.events.map((event, index) => ({
    seq: input.loop.seq + 1 + index,
    time: input.time,
    elapsedMs: index === 0 ? elapsedMs : 0,
    event,
  }));
}

function evolveAll(loop: Loop | null, recorded: readonly RecordedEvent[]): Loop {
  const folded = recorded.reduce(evolve, loop);
  if (folded !== null) return folded;
  throw new LoopwrightError('store.conflict', 'the log of a loop starts with its creation');
}

function projection(loop: Loop) {
  return {
    status: loop.status,
    reason: loop.reason,
    branch: loop.workspace.branch,
    iterations: loop.iterations.length,
    cost_usd: loopCost(loop),
    seq: loop.seq,
    updated_at: loop.updatedAt,
    state: JSON.stringify({ ...loop, iterations: undefined }),
  };
}

/** One statement checks the claim and the sequence and writes, so nobody comes in between on any database. */
async function updateFenced(
  db: Db,
  root: string | null,
  input: AppendInput,
  next: Loop,
): Promise<void> {
  const { id, seq } = input.loop;
  const { state, ...columns } = projection(next);
  const kept = root === null ? sql`${state}` : withRecordedPath(state, next);
  const changed = await db.run(sql`
    update loops set ${assigned<LoopsTable>(columns)}, state = ${kept}
    where id = ${id} and token = ${input.token} and seq = ${seq}`);
  if (changed === 1) return;
  throw refusal(input, await selectFence(db, id));
}

/** The log says where the workspace was when the loop was made. Elsewhere its path is another one, and the record stays. */
function withRecordedPath(state: string, { workspace }: Loop): Sql {
  // As JSON: SQLite has no text for bytes that are not UTF-8.
  const recorded = sql`state -> '$.workspace.path'`;
  return sql`case when ${recorded} = ${JSON.stringify(workspace.path)} then ${state}
    else json_set(${state}, '$.workspace.path', json(${recorded})) end`;
}

function refusal(input: AppendInput, stored: { token: number; seq: number }): LoopwrightError {
  const { id, seq } = input.loop;
  const details = { loopId: id, token: input.token, seq, stored };
  if (stored.token !== input.token) {
    return new LoopwrightError('store.fenced', `${id} is driven by another owner now`, { details });
  }
  const text = `${id} has events up to ${stored.seq}, not ${seq}: it was changed elsewhere`;
  return new LoopwrightError('store.conflict', text, { details });
}

async function selectFence(db: Db, id: string): Promise<{ token: number; seq: number }> {
  const row = await db.first(
    sql<Pick<LoopsTable, 'token' | 'seq'>>`select token, seq from loops where id = ${id}`,
  );
  if (row !== undefined) return row;
  throw new LoopwrightError('store.missing', `there is no loop ${id}`, { details: { loopId: id } });
}

async function getLoop(db: Db, root: string | null, id: string): Promise<Loop | null> {
  const row = await db.first(
    sql<Pick<LoopsTable, 'state'>>`select state from loops where id = ${id}`,
  );
  if (row === undefined) return null;
  const rows = await db.all(
    sql<Pick<IterationsTable, 'number' | 'state'>>`
      select number, state from iterations where loop_id = ${id} order by number`,
  );
  const iterations = rows.map(({ number, state }) => parseIteration(id, number, state));
  const stored = parseState(id, row.state);
  const path = await locate(db, root, stored.workspace.path);
  const workspace = { ...stored.workspace, path };
  // A loop of an older version lacks the keys that were added since.
  return { ...stored, workspace, settings: withNewKeys(stored.settings), iterations };
}

/** JSON that is no state of a loop was written by somebody else; the log still tells the loop. */
function parseState(id: string, state: string): Omit<Loop, 'iterations'> {
  const stored = parseStored<Partial<Omit<Loop, 'iterations'>> | null>(state, `loop ${id}`);
  if (isState(stored)) return stored;
  throw new LoopwrightError('store.corrupt', `the stored state of ${id} is not readable`, {
    hint: '`loopwright doctor --fix` rebuilds it from the log',
  });
}

function isState(
  stored: Partial<Omit<Loop, 'iterations'>> | null,
): stored is Omit<Loop, 'iterations'> {
  return typeof stored?.workspace?.path === 'string' && typeof stored.settings === 'object';
}

async function getIteration(db: Db, loopId: string, number: number): Promise<Iteration | null> {
  const row = await db.first(
    sql<Pick<IterationsTable, 'state'>>`
      select state from iterations where loop_id = ${loopId} and number = ${number}`,
  );
  return row === undefined ? null : parseIteration(loopId, number, row.state);
}

function parseIteration(loopId: string, number: number, state: string): Iteration {
  return parseStored<Iteration>(state, `iteration ${number} of ${loopId}`);
}

async function listLoops(db: Db, filter: LoopFilter): Promise<readonly LoopRow[]> {
  if (filter.statuses?.length === 0) return [];
  const { taskId, statuses, limit } = filter;
  const where = allOf(
    taskId === undefined ? null : sql`loops.task_id = ${taskId}`,
    statuses === undefined ? null : sql`loops.status in ${listed(statuses)}`,
  );
  return db.all(
    sql<LoopRow>`
      select
        loops.id, loops.task_id as "taskId", loops.title, loops.status, loops.reason, loops.iterations, loops.branch,
        loops.cost_usd as "costUsd", loops.created_at as "createdAt", loops.updated_at as "updatedAt", queue.owner
      from loops left join queue on queue.loop_id = loops.id
      where ${where}
      order by loops.sequence desc
      ${limit === undefined ? sql`` : sql`limit ${limit}`}`,
  );
}

async function verifyChain(db: Db, loopId: string): Promise<number | null> {
  const { seq } = await selectFence(db, loopId);
  return (await foldLog(db, loopId, seq)).brokenAt;
}

async function foldedLoop(db: Db, root: string | null, id: string): Promise<FoldedLoop | null> {
  const row = await db.first(
    sql<Pick<LoopsTable, 'seq' | 'status'>>`select seq, status from loops where id = ${id}`,
  );
  if (row === undefined) return null;
  const { loop: recorded, brokenAt } = await foldLog(db, id, row.seq);
  if (recorded === null) return { loop: null, brokenAt: brokenAt ?? 1, differs: [] };
  const path = await locate(db, root, recorded.workspace.path);
  const loop = { ...recorded, workspace: { ...recorded.workspace, path } };
  if (brokenAt !== null) return { loop, brokenAt, differs: [] };
  const stored = await getLoop(db, root, id).catch(unreadable);
  if (stored === null) return { loop, brokenAt, differs: ['a state that is not readable'] };
  // Lists are made from the column.
  const inLists = row.status === stored.status ? [] : [`status ${row.status} in lists`];
  return { loop, brokenAt, differs: [...inLists, ...storedDifferences(stored, loop)] };
}

function unreadable(error: unknown): null {
  if (isLoopwrightError(error) && error.code === 'store.corrupt') return null;
  throw error;
}

async function rebuild(db: Db, id: string): Promise<void> {
  const { seq } = await selectFence(db, id);
  const { loop, brokenAt } = await foldLog(db, id, seq);
  if (loop === null || brokenAt !== null) {
    throw new LoopwrightError('store.log_changed', `the log of ${id} is not whole`);
  }
  await db.run(sql`update loops set ${assigned<LoopsTable>(projection(loop))} where id = ${id}`);
  await rewriteIterations(db, loop);
}

/** Foreign keys take the events, iterations, requests and the queue entry with it. */
async function deleteLoop(db: Db, id: string): Promise<void> {
  await db.run(sql`delete from loops where id = ${id}`);
}

/** Attempts are numbered from 1 per task, so the highest number counts those of deleted loops too. */
async function countAttempts(db: Db, taskId: string): Promise<number> {
  const { attempts } = await db.one(
    sql<{ attempts: number | null }>`
      select max(iterations.attempt) as attempts
      from iterations join loops on loops.id = iterations.loop_id
      where loops.task_id = ${taskId} and iterations.status <> 'skipped'`,
  );
  return attempts ?? 0;
}

type Spending = { readonly record?: { readonly costUsd?: unknown }; readonly costUsd?: unknown };

async function costSince(db: Db, time: number): Promise<number> {
  const rows = await db.all(
    sql<Pick<EventsTable, 'data'>>`
      select events.data from loops join events on events.loop_id = loops.id
      where loops.updated_at > ${time} and events.time > ${time}
        and events.type in ('agent.ended', 'usage.added')`,
  );
  const costs = rows.map(({ data }) => {
    const fact = parseStored<Spending>(data, 'a fact of spending');
    return fact.record === undefined ? fact.costUsd : fact.record.costUsd;
  });
  return costs.reduce<number>((sum, cost) => (typeof cost === 'number' ? sum + cost : sum), 0);
}

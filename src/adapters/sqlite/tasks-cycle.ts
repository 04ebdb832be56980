import { assertNoCycle, type Edge, type GraphNode } from '../../core/graph/cycle.ts';
import { LoopwrightError } from '../../core/error.ts';
import { listed } from './json-list.ts';
import type { Db } from './schema.ts';
import { sql } from './sql.ts';
import type { TaskRow } from './tasks-row.ts';

/** Refuses dependencies that would make a task wait for itself. The look is cheap; the message takes the whole graph. */
export async function assertCanDepend(
  db: Db,
  row: Pick<TaskRow, 'id' | 'children'>,
  after: readonly string[],
): Promise<void> {
  if (after.length === 0) return;
  const impossible =
    (await waitsFor(db, after, row.id)) || (row.children > 0 && (await isBelow(db, after, row.id)));
  if (impossible)
    await refuse(
      db,
      after.map((dependsOn) => ({ taskId: row.id, dependsOn })),
      null,
    );
}

/** The same for a task that is about to be added: only its parent can wait for it. */
export async function assertCanAdd(
  db: Db,
  node: GraphNode,
  after: readonly string[],
): Promise<void> {
  if (node.parentId === null || after.length === 0) return;
  if (!(await waitsFor(db, after, node.parentId))) return;
  await refuse(
    db,
    after.map((dependsOn) => ({ taskId: node.id, dependsOn })),
    node,
  );
}

/** Refuses a new parent with the same rules; rare, so it looks at the whole graph at once. */
export async function assertCanMove(db: Db, id: string, parentId: string): Promise<void> {
  const { nodes, edges } = await loadGraph(db);
  const moved = nodes.map((node) => (node.id === id ? { ...node, parentId } : node));
  assertNoCycle(moved, edges);
}

/** True when one of `ids` is the target or waits for it. */
async function waitsFor(db: Db, ids: readonly string[], target: string): Promise<boolean> {
  const rows = await db.all(sql`
    with recursive waiting (id) as (
      values (${target})
      union
      select d.task_id from task_dependencies d join waiting w on d.depends_on = w.id
      union
      select t.parent_id from tasks t join waiting w on t.id = w.id where t.parent_id is not null
    )
    select 1 from waiting where id in ${listed(ids)} limit 1`);
  return rows.length > 0;
}

async function isBelow(db: Db, ids: readonly string[], ancestor: string): Promise<boolean> {
  const rows = await db.all(sql`
    with recursive up (id) as (
      select parent_id from tasks where id in ${listed(ids)}
      union
      select t.parent_id from tasks t join up on t.id = up.id
    )
    select 1 from up where id = ${ancestor} limit 1`);
  return rows.length > 0;
}

async function refuse(db: Db, added: readonly Edge[], node: GraphNode | null): Promise<never> {
  const { nodes, edges } = await loadGraph(db);
  assertNoCycle(node === null ? nodes : [...nodes, node], [...edges, ...added]);
  throw new LoopwrightError('task.cycle', 'these dependencies would make a task wait for itself');
}

async function loadGraph(db: Db): Promise<{ nodes: readonly GraphNode[]; edges: readonly Edge[] }> {
  const nodes = await db.all(sql<GraphNode>`select id, title, parent_id as "parentId" from tasks`);
  return { nodes, edges: await selectEdges(db) };
}

/** In a stable order: of the tasks, then of what they depend on. */
export async function selectEdges(db: Db): Promise<readonly Edge[]> {
  return db.all(sql<Edge>`
    select d.task_id as "taskId", d.depends_on as "dependsOn"
    from task_dependencies d
    join tasks t on t.id = d.task_id
    join tasks n on n.id = d.depends_on
    order by t.sequence, n.sequence`);
}

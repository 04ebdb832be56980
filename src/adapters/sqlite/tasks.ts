import type { Tasks } from '../../ports/store.ts';
import type { Db } from './schema.ts';
import { sql } from './sql.ts';
import { addDependency, addTask, deleteTask, editTask, removeDependency } from './tasks-change.ts';
import {
  claimOf,
  claimTask,
  expireLeases,
  releaseClaim,
  renewClaim,
  transitionTask,
} from './tasks-claim.ts';
import { selectEdges } from './tasks-cycle.ts';
import {
  countTasks,
  dependenciesOf,
  dependentsOf,
  listTasks,
  readLog,
  readyTasks,
  resolveReference,
  waitingTasks,
} from './tasks-query.ts';
import { findRow, parseGuidance, requireRow, toTask } from './tasks-row.ts';

/** The tasks over one transaction. */
export function createTasks(db: Db): Tasks {
  return {
    add: (id, task, now) => addTask(db, id, task, now),
    edit: (id, change, now) => editTask(db, id, change, now),
    addDependency: (taskId, dependsOn, now) => addDependency(db, taskId, dependsOn, now),
    removeDependency: (taskId, dependsOn, now) => removeDependency(db, taskId, dependsOn, now),
    async get(id) {
      const row = await findRow(db, id);
      return row === null ? null : toTask(row);
    },
    resolve: (reference) => resolveReference(db, reference),
    list: (filter) => listTasks(db, filter),
    dependenciesOf: (id) => dependenciesOf(db, id),
    dependentsOf: (id) => dependentsOf(db, id),
    childrenOf: (id) => listTasks(db, { parentId: id }),
    edges: () => selectEdges(db),
    ready: (limit) => readyTasks(db, limit),
    waiting: (limit) => waitingTasks(db, limit),
    transition: (id, to, change) => transitionTask(db, id, to, change),
    claim: (input) => claimTask(db, input),
    claimOf: (id) => claimOf(db, id),
    renew: (claim, until) => renewClaim(db, claim, until),
    expireLeases: (leaseTime, now) => expireLeases(db, leaseTime, now),
    release: (claim) => releaseClaim(db, claim),
    guide: (id, text, now) => guideTask(db, id, text, now),
    async clearSummary(id, now) {
      await db.run(sql`update tasks set summary = null, updated_at = ${now} where id = ${id}`);
    },
    delete: (id) => deleteTask(db, id),
    counts: () => countTasks(db),
    log: (id) => readLog(db, id),
  };
}

async function guideTask(db: Db, id: string, text: string, now: number): Promise<void> {
  const row = await requireRow(db, id);
  const guidance = JSON.stringify([...parseGuidance(row), { time: now, text }]);
  await db.run(sql`
    update tasks set guidance = ${guidance}, updated_at = ${now} where id = ${id}`);
}

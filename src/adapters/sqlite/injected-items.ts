import type { Learnings } from '../../ports/memory.ts';
import { fromIso, toIso } from './iso-time.ts';
import type { InjectedItemsTable } from './schema-memory.ts';
import type { Db } from './schema.ts';
import { allOf, assigned, inserted, sql } from './sql.ts';

/** What iterations were given, over one transaction. */
export function createInjected(
  db: Db,
): Pick<Learnings, 'recordInjected' | 'injected' | 'forgetInjected'> {
  return {
    async recordInjected(items) {
      for (const item of items) {
        const row = {
          task_id: item.taskId,
          position: item.position,
          withheld: item.withheld ? 1 : 0,
          injected_at: toIso(item.injectedAt),
          vote: item.vote,
          passed: item.passed === null ? null : item.passed ? 1 : 0,
        };
        const { loopId: loop_id, iteration, learningId: learning_id } = item;
        const key = { loop_id, iteration, learning_id };
        await db.run(sql`
          insert into injected_items ${inserted<InjectedItemsTable>({ ...key, ...row })}
          on conflict (loop_id, iteration, learning_id)
          do update set ${assigned<InjectedItemsTable>(row)}`);
      }
    },

    async injected({ loopId, learningId }) {
      const where = allOf(
        loopId === undefined ? null : sql`loop_id = ${loopId}`,
        learningId === undefined ? null : sql`learning_id = ${learningId}`,
      );
      const rows = await db.all(
        sql<InjectedItemsTable>`
          select * from injected_items where ${where}
          order by injected_at, loop_id, iteration, position`,
      );
      return rows.map((row) => ({
        loopId: row.loop_id,
        iteration: row.iteration,
        learningId: row.learning_id,
        taskId: row.task_id,
        position: row.position,
        withheld: row.withheld === 1,
        injectedAt: fromIso(row.injected_at),
        vote: row.vote,
        passed: row.passed === null ? null : row.passed === 1,
      }));
    },

    async forgetInjected(loopId) {
      await db.run(sql`delete from injected_items where loop_id = ${loopId}`);
    },
  };
}

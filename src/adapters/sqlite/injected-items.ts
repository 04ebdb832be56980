import type { Learnings } from '../../ports/memory.ts';
import { fromIso, toIso } from './iso-time.ts';
import type { Db } from './schema.ts';

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
        await db
          .insertInto('injected_items')
          .values({ loop_id, iteration, learning_id, ...row })
          .onConflict((conflict) =>
            conflict.columns(['loop_id', 'iteration', 'learning_id']).doUpdateSet(row),
          )
          .execute();
      }
    },

    async injected({ loopId, learningId }) {
      let query = db
        .selectFrom('injected_items')
        .selectAll()
        .orderBy('injected_at')
        .orderBy('loop_id')
        .orderBy('iteration')
        .orderBy('position');
      if (loopId !== undefined) query = query.where('loop_id', '=', loopId);
      if (learningId !== undefined) query = query.where('learning_id', '=', learningId);
      return (await query.execute()).map((row) => ({
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
      await db.deleteFrom('injected_items').where('loop_id', '=', loopId).execute();
    },
  };
}

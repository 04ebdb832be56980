import type { Requests } from '../../ports/store.ts';
import type { Db } from './schema.ts';

/** Requests over one transaction. */
export function createRequests(db: Db): Requests {
  return {
    async add(request) {
      await db
        .insertInto('requests')
        .values({
          id: request.id,
          loop_id: request.loopId,
          kind: request.kind,
          at: request.when,
          created_at: request.now,
          handled_at: null,
        })
        .execute();
    },

    async pending(loopId) {
      return db
        .selectFrom('requests')
        .select(['id', 'loop_id as loopId', 'kind', 'at as when', 'created_at as now'])
        .where('loop_id', '=', loopId)
        .where('handled_at', 'is', null)
        .orderBy('created_at')
        .orderBy('id')
        .execute();
    },

    async handled(id, now) {
      await db
        .updateTable('requests')
        .set({ handled_at: now })
        .where('id', '=', id)
        .where('handled_at', 'is', null)
        .execute();
    },
  };
}

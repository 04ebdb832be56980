import type { NewRequest, Requests } from '../../ports/store.ts';
import type { Db, RequestsTable } from './schema.ts';
import { inserted, sql } from './sql.ts';

/** Requests over one transaction. */
export function createRequests(db: Db): Requests {
  return {
    async add(request) {
      const row = inserted<RequestsTable>({
        id: request.id,
        loop_id: request.loopId,
        kind: request.kind,
        at: request.when,
        created_at: request.now,
        handled_at: null,
      });
      await db.run(sql`insert into requests ${row}`);
    },

    async pending(loopId) {
      return db.all(
        sql<NewRequest>`
          select id, loop_id as "loopId", kind, at as "when", created_at as "now"
          from requests where loop_id = ${loopId} and handled_at is null
          order by created_at, id`,
      );
    },

    async handled(id, now) {
      await db.run(sql`
        update requests set handled_at = ${now} where id = ${id} and handled_at is null`);
    },
  };
}

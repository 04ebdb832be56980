import type { Selectable } from 'kysely';
import type { Session, Sessions } from '../../ports/store.ts';
import type { Db, SessionsTable } from './schema.ts';

/** Sessions over one transaction. */
export function createSessions(db: Db): Sessions {
  return {
    async start(session) {
      await db.insertInto('sessions').values(toRow(session)).execute();
    },

    async end(id, now) {
      await db.updateTable('sessions').set({ ended_at: now }).where('id', '=', id).execute();
    },

    async get(id) {
      const row = await db
        .selectFrom('sessions')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
      return row === undefined ? null : toSession(row);
    },
  };
}

function toRow(session: Session): Selectable<SessionsTable> {
  return {
    id: session.id,
    kind: session.kind,
    host: session.process.host,
    pid: session.process.pid,
    process_start: session.process.startTime,
    boot_id: session.process.bootId,
    version: session.version,
    started_at: session.startedAt,
    ended_at: session.endedAt,
  };
}

function toSession(row: Selectable<SessionsTable>): Session {
  return {
    id: row.id,
    kind: row.kind,
    process: { pid: row.pid, startTime: row.process_start, bootId: row.boot_id, host: row.host },
    version: row.version,
    startedAt: row.started_at,
    endedAt: row.ended_at,
  };
}

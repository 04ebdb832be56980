import type { Session, Sessions } from '../../ports/store.ts';
import type { Db, SessionsTable } from './schema.ts';
import { inserted, sql } from './sql.ts';

/** Sessions over one transaction. */
export function createSessions(db: Db): Sessions {
  return {
    async start(session) {
      await db.run(sql`insert into sessions ${inserted<SessionsTable>(toRow(session))}`);
    },

    async end(id, now) {
      await db.run(sql`update sessions set ended_at = ${now} where id = ${id}`);
    },

    async get(id) {
      const row = await db.first(sql<SessionsTable>`select * from sessions where id = ${id}`);
      return row === undefined ? null : toSession(row);
    },

    async open() {
      const rows = await db.all(
        sql<SessionsTable>`select * from sessions where ended_at is null order by started_at`,
      );
      return rows.map(toSession);
    },
  };
}

function toRow(session: Session): SessionsTable {
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
    elsewhere: session.isElsewhere === true ? 1 : 0,
  };
}

function toSession(row: SessionsTable): Session {
  return {
    id: row.id,
    kind: row.kind,
    process: { pid: row.pid, startTime: row.process_start, bootId: row.boot_id, host: row.host },
    version: row.version,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    ...(row.elsewhere === 1 ? { isElsewhere: true } : {}),
  };
}

import { createHash } from 'node:crypto';
import type { LoopEvent, RecordedEvent } from '../../core/loop/event.ts';
import type { FeedEntry } from '../../ports/store.ts';
import type { CountersTable, Db, EventsTable } from './schema.ts';
import { inserted, sql } from './sql.ts';
import { parseStored } from './stored-json.ts';

/** Version of the shape of events written today. */
const eventVersion = 1;

const pageSize = 500;

/** Appends recorded events behind the one with sequence `after`, each carrying the hash of the one before. */
export async function appendEvents(
  db: Db,
  loopId: string,
  after: number,
  events: readonly RecordedEvent[],
): Promise<void> {
  if (events.length === 0) return;
  let previous = after === 0 ? '' : await hashAt(db, loopId, after);
  let position = await takePositions(db, events.length);
  for (const recorded of events) {
    const row = toRow(loopId, recorded, previous);
    previous = row.hash;
    position += 1;
    await db.run(sql`insert into events ${inserted<EventsTable>({ ...row, position })}`);
  }
}

export async function readEvents(
  db: Db,
  loopId: string,
  since: number,
  limit: number,
): Promise<readonly RecordedEvent[]> {
  const rows = await selectPage(db, loopId, since, limit);
  return rows.map(toRecorded);
}

/** The position before the `count` ones that are taken. */
async function takePositions(db: Db, count: number): Promise<number> {
  const { value } = await db.one(
    sql<Pick<CountersTable, 'value'>>`
      update counters set value = value + ${count} where name = 'event_position' returning value`,
  );
  return value - count;
}

export async function newestPosition(db: Db): Promise<number> {
  const { value } = await db.one(
    sql<Pick<CountersTable, 'value'>>`select value from counters where name = 'event_position'`,
  );
  return value;
}

/** Events of all loops after a position, in order. */
export async function readFeed(
  db: Db,
  after: number,
  limit: number,
): Promise<readonly FeedEntry[]> {
  const rows = await db.all(
    sql<EventsTable>`select * from events where position > ${after} order by position limit ${limit}`,
  );
  return rows.map((row) => {
    return { position: row.position, loopId: row.loop_id, recorded: toRecorded(row) };
  });
}

/**
 * Reads a log page by page and hands every event of its whole part to `take`. Answers the first sequence that is missing or not
 * what was written; null when the log is whole. `newest` is the sequence it should end with, so that a cut-off end is seen too.
 */
export async function readWholeLog(
  db: Db,
  loopId: string,
  newest: number,
  take: (recorded: RecordedEvent) => void,
): Promise<number | null> {
  let previous = '';
  let seq = 0;
  for (;;) {
    const page = await selectPage(db, loopId, seq, pageSize);
    for (const row of page) {
      if (row.seq !== seq + 1 || row.hash !== hashOf(row, previous)) return seq + 1;
      seq += 1;
      previous = row.hash;
      take(toRecorded(row));
    }
    if (page.length < pageSize) return seq === newest ? null : Math.min(seq, newest) + 1;
  }
}

function selectPage(
  db: Db,
  loopId: string,
  since: number,
  limit: number,
): Promise<readonly EventsTable[]> {
  return db.all(
    sql<EventsTable>`
      select * from events where loop_id = ${loopId} and seq > ${since} order by seq limit ${limit}`,
  );
}

async function hashAt(db: Db, loopId: string, seq: number): Promise<string> {
  const row = await db.first(
    sql<
      Pick<EventsTable, 'hash'>
    >`select hash from events where loop_id = ${loopId} and seq = ${seq}`,
  );
  // A cut-off log is found by `readWholeLog`; it does not keep the loop from going on.
  return row?.hash ?? '';
}

function toRow(
  loopId: string,
  recorded: RecordedEvent,
  previous: string,
): Omit<EventsTable, 'position'> {
  const row = {
    loop_id: loopId,
    seq: recorded.seq,
    type: recorded.event.type,
    version: eventVersion,
    time: recorded.time,
    elapsed_ms: recorded.elapsedMs,
    data: JSON.stringify(recorded.event),
  };
  return { ...row, hash: hashOf(row, previous) };
}

function toRecorded(row: EventsTable): RecordedEvent {
  const event = parseStored<LoopEvent>(row.data, `event ${row.seq} of ${row.loop_id}`);
  return { seq: row.seq, time: row.time, elapsedMs: row.elapsed_ms, event };
}

/** As a JSON array, so that no two different rows read the same. */
function hashOf(row: Omit<EventsTable, 'hash' | 'position'>, previous: string): string {
  const parts = [previous, row.loop_id, row.seq, row.type, row.version, row.time, row.elapsed_ms];
  return createHash('sha256')
    .update(JSON.stringify([...parts, row.data]))
    .digest('hex');
}

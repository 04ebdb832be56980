import { located, type PlaceRecord } from '../../core/place/place.ts';
import { isEnded, type LoopStatus } from '../../core/loop/status.ts';
import type { Places, RecordedPath } from '../../ports/place.ts';
import { readWholeLog } from './event-log.ts';
import type { Db, PlaceTable } from './schema.ts';
import { assigned, inserted, sql } from './sql.ts';
import { parseStored } from './stored-json.ts';

/** Places over one transaction. Without a root, as when only the store is looked at, paths are as recorded. */
export function createPlaces(db: Db, root: string | null): Places {
  return {
    get: () => getPlace(db),

    async put(record) {
      const row = { id: 1, ...toRow(record) };
      await db.run(sql`
        insert into place ${inserted<PlaceTable>(row)}
        on conflict (id) do update set ${assigned<PlaceTable>(toRow(record))}`);
    },

    locate: (recorded) => locate(db, root, recorded),
    recorded: () => listRecorded(db),

    async heldElsewhere(host, now) {
      const rows = await db.all(
        sql<{ loop_id: string }>`
          select queue.loop_id from queue join sessions on sessions.id = queue.owner
          where sessions.host <> ${host} and sessions.ended_at is null and queue.lease_until > ${now}`,
      );
      return new Set(rows.map(({ loop_id: id }) => id));
    },

    async disown(now) {
      await db.run(sql`
        update sessions set elsewhere = 1, ended_at = coalesce(ended_at, ${now}) where elsewhere = 0`);
      await db.run(sql`update queue set owner = null, lease_until = null where owner is not null`);
    },

    findDamage: () => findDamage(db),
  };
}

/** What a loop has recorded lies below the root unless the project was moved or its worktrees are elsewhere. */
export async function locate(db: Db, root: string | null, recorded: string): Promise<string> {
  if (root === null) return recorded;
  const place = await getPlace(db);
  return place === null ? recorded : located(recorded, root, place);
}

async function getPlace(db: Db): Promise<PlaceRecord | null> {
  const row = await db.first(sql<PlaceTable>`select * from place`);
  if (row === undefined) return null;
  const { root, inode, machine, origin, since } = row;
  return {
    storeId: row.store_id,
    root,
    inode,
    machine,
    roots: parseStored<readonly string[]>(row.roots, 'the place'),
    folders: parseStored<Readonly<Record<string, string>>>(row.folders, 'the place'),
    origin,
    since,
  };
}

function toRow({ storeId, roots, folders, ...record }: PlaceRecord): Omit<PlaceTable, 'id'> {
  const json = { roots: JSON.stringify(roots), folders: JSON.stringify(folders) };
  return { store_id: storeId, ...record, ...json };
}

async function listRecorded(db: Db): Promise<readonly RecordedPath[]> {
  const rows = await db.all(
    sql<{ id: string; status: LoopStatus; mode: RecordedPath['mode']; path: string }>`
      select id, status, state ->> '$.workspace.mode' as mode, state ->> '$.workspace.path' as path
      from loops order by sequence desc`,
  );
  return rows.map(({ id, status, mode, path }) => {
    return { loopId: id, mode, path, isOpen: !isEnded(status) };
  });
}

/** Files that were copied while somebody wrote them can hold pages of two moments. */
async function findDamage(db: Db): Promise<string | null> {
  const checks = await db.all(sql<object>`pragma integrity_check(1)`);
  const [answer] = Object.values(checks[0] ?? {});
  if (answer !== 'ok') return String(answer);
  const orphans = await db.all(sql`pragma foreign_key_check`);
  if (orphans.length > 0) return `${orphans.length} rows refer to rows that are not there`;
  const loops = await db.all(sql<{ id: string; seq: number }>`select id, seq from loops`);
  for (const { id, seq } of loops) {
    const broken = await readWholeLog(db, id, seq, () => {});
    if (broken !== null) return `the log of ${id} breaks at event ${broken}`;
  }
  return null;
}

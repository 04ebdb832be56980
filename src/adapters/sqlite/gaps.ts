import type { Gaps } from '../../ports/store.ts';
import type { CountersTable, Db } from './schema.ts';
import { sql } from './sql.ts';

/** What the store has lost, over one transaction. It is noted when the store is opened (`store-mark.ts`). */
export function createGaps(db: Db): Gaps {
  return {
    untold: async () => (await counter(db, 'gap_changes')) ?? 0,
    async tell() {
      await db.run(sql`update counters set value = 0 where name = 'gap_changes'`);
    },
    async isBehind(loopId) {
      const position = await counter(db, 'gap_position');
      if (position === null) return false;
      const { newest } = await db.one(
        sql<{ newest: number | null }>`
          select max(position) as newest from events where loop_id = ${loopId}`,
      );
      return newest !== null && newest <= position;
    },
  };
}

async function counter(db: Db, name: string): Promise<number | null> {
  const row = await db.first(
    sql<Pick<CountersTable, 'value'>>`select value from counters where name = ${name}`,
  );
  return row?.value ?? null;
}

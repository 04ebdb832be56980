import type { VerificationReport } from '../../core/verdict/report.ts';
import type { Baselines } from '../../ports/store.ts';
import type { BaselinesTable, Db } from './schema.ts';
import { assigned, inserted, sql } from './sql.ts';
import { parseStored } from './stored-json.ts';

/** Baselines over one transaction. */
export function createBaselines(db: Db): Baselines {
  return {
    async get(key) {
      const row = await db.first(
        sql<Pick<BaselinesTable, 'state' | 'report'>>`
          select state, report from baselines where key = ${key}`,
      );
      if (row === undefined) return null;
      const report = parseStored<VerificationReport>(row.report, `baseline ${key}`);
      return { state: row.state, report };
    },

    async put(key, baseline, now) {
      const row = {
        state: baseline.state,
        report: JSON.stringify(baseline.report),
        created_at: now,
      };
      await db.run(sql`
        insert into baselines ${inserted<BaselinesTable>({ key, ...row })}
        on conflict (key) do update set ${assigned<BaselinesTable>(row)}`);
    },
  };
}

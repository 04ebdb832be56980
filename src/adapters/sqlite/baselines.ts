import type { VerificationReport } from '../../core/verdict/report.ts';
import type { Baselines } from '../../ports/store.ts';
import type { Db } from './schema.ts';
import { parseStored } from './stored-json.ts';

/** Baselines over one transaction. */
export function createBaselines(db: Db): Baselines {
  return {
    async get(key) {
      const row = await db
        .selectFrom('baselines')
        .select(['state', 'report'])
        .where('key', '=', key)
        .executeTakeFirst();
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
      await db
        .insertInto('baselines')
        .values({ key, ...row })
        .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
        .execute();
    },
  };
}

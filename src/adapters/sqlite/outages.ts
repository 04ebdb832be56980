import type { Outage } from '../../core/outage/outage.ts';
import type { Outages } from '../../ports/store.ts';
import type { Db, OutagesTable } from './schema.ts';
import { assigned, inserted, sql } from './sql.ts';

/** Outages over one transaction. */
export function createOutages(db: Db): Outages {
  return {
    async get(provider) {
      const row = await db.first(
        sql<OutagesTable>`select * from outages where provider = ${provider}`,
      );
      return row === undefined ? null : toOutage(row);
    },

    async list() {
      const rows = await db.all(sql<OutagesTable>`select * from outages order by since, provider`);
      return rows.map(toOutage);
    },

    async put({ provider, ...outage }) {
      const row = {
        since: outage.since,
        give_up_at: outage.giveUpAt,
        failures: outage.failures,
        next_at: outage.nextAt,
        prober: outage.prober,
        is_probing: outage.isProbing ? 1 : 0,
        why: outage.why,
      };
      await db.run(sql`
        insert into outages ${inserted<OutagesTable>({ provider, ...row })}
        on conflict (provider) do update set ${assigned<OutagesTable>(row)}`);
    },

    async end(provider) {
      return (await db.run(sql`delete from outages where provider = ${provider}`)) > 0;
    },
  };
}

function toOutage(row: OutagesTable): Outage {
  const { provider, since, failures, prober, why } = row;
  return {
    provider,
    since,
    giveUpAt: row.give_up_at,
    failures,
    nextAt: row.next_at,
    prober,
    isProbing: row.is_probing === 1,
    why,
  };
}

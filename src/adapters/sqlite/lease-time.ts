import type { Db } from './schema.ts';
import { sql } from './sql.ts';

/** What the lease time of a store is made from. */
export type BootClock = {
  /** Names the boot; null where the system has no name for it. */
  readonly bootId: string | null;
  /** Milliseconds that all processes of one boot agree upon, and that no setting of the clock changes. */
  monotonic(): number;
  /** UTC milliseconds; looked at once in a boot. */
  now(): number;
};

type Boot = { readonly epoch: number; readonly since: number };

/**
 * Runs evenly within a boot for every process that uses the store, whatever the system's time is set to. From boot to boot, and
 * between machines, it is as exact as their wall clocks. A `read` does not register the boot: until a `write` has, there is no
 * lease of this boot to be measured.
 */
export async function leaseTime(db: Db, clock: BootClock, mode: 'write' | 'read'): Promise<number> {
  const id = clock.bootId ?? '';
  const reading = Math.round(clock.monotonic());
  const known = await db.first(sql<Boot>`select epoch, since from boots where id = ${id}`);
  if (known !== undefined && known.since <= reading) return known.epoch + reading;
  const epoch = Math.round(clock.now()) - reading;
  if (mode === 'write') {
    await db.run(sql`
      insert into boots (id, epoch, since) values (${id}, ${epoch}, ${reading})
      on conflict (id) do update set epoch = excluded.epoch, since = excluded.since`);
  }
  return epoch + reading;
}

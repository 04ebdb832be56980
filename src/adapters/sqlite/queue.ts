import { LoopwrightError } from '../../core/error.ts';
import type { Queue, QueueClaim, QueueClaimInput, QueueEntry } from '../../ports/queue.ts';
import type { Db } from './schema.ts';
import { joined, sql, type Sql } from './sql.ts';

/** The queue over one transaction. */
export function createQueue(db: Db): Queue {
  return {
    enqueue: (loopId, dueAt) => enqueue(db, loopId, dueAt),
    claim: (input) => claim(db, input),
    renew: (held, until) => renew(db, held, until),
    complete: (held) => complete(db, held),
    release: (held, dueAt) => release(db, held, dueAt),
    entries: () => entries(db),
  };
}

async function enqueue(db: Db, loopId: string, dueAt: number): Promise<void> {
  await db.run(sql`
    insert into queue (loop_id, due_at, owner, lease_until) values (${loopId}, ${dueAt}, null, null)
    on conflict (loop_id) do update set due_at = excluded.due_at`);
}

/** A loop asked for by name is taken even before it is due: its owner does the waiting. */
async function claim(db: Db, input: QueueClaimInput): Promise<QueueClaim | null> {
  const { owner, lease, loopId } = input;
  const wanted = loopId === undefined ? sql`due_at <= ${lease.now}` : sql`loop_id = ${loopId}`;
  const taken = await db.first(
    sql<{ loop_id: string }>`
      update queue set owner = ${owner}, lease_until = ${lease.until}
      where loop_id = (
        select loop_id from queue where (${isFree(input)}) and ${wanted}
        order by due_at, loop_id limit 1)
      returning loop_id`,
  );
  if (taken === undefined) return null;
  const token = await raiseToken(db, taken.loop_id);
  return { loopId: taken.loop_id, owner, token };
}

/**
 * No owner, an ended lease, or an owner that is known to be gone. Whoever asks for the next loop is not given
 * one that it drives already; asking for its own by name again is its own business.
 */
function isFree(input: QueueClaimInput): Sql {
  const gone = [input.takeOver, input.loopId === undefined ? undefined : input.owner];
  const owners = gone.flatMap((owner) => (owner === undefined ? [] : [sql`owner = ${owner}`]));
  return joined([sql`owner is null`, sql`lease_until <= ${input.lease.now}`, ...owners], ' or ');
}

async function raiseToken(db: Db, loopId: string): Promise<number> {
  const { token } = await db.one(
    sql<{ token: number }>`update loops set token = token + 1 where id = ${loopId} returning token`,
  );
  return token;
}

async function renew(db: Db, held: QueueClaim, until: number): Promise<boolean> {
  const changed = await db.run(sql`
    update queue set lease_until = ${until} where ${isHeld(held)}`);
  return changed === 1;
}

async function complete(db: Db, held: QueueClaim): Promise<void> {
  if ((await db.run(sql`delete from queue where ${isHeld(held)}`)) === 1) return;
  throw new LoopwrightError('store.fenced', `${held.loopId} is driven by another owner now`, {
    details: { loopId: held.loopId, token: held.token },
  });
}

/** A claim that was lost has nothing to give back, so then nothing changes. */
async function release(db: Db, held: QueueClaim, dueAt: number): Promise<void> {
  await db.run(sql`
    update queue set due_at = ${dueAt}, owner = null, lease_until = null where ${isHeld(held)}`);
}

function isHeld(held: QueueClaim): Sql {
  return sql`loop_id = ${held.loopId} and owner = ${held.owner}
    and ${held.token} = (select token from loops where id = ${held.loopId})`;
}

async function entries(db: Db): Promise<readonly QueueEntry[]> {
  return db.all(
    sql<QueueEntry>`
      select loop_id as "loopId", due_at as "dueAt", owner, lease_until as "leaseUntil"
      from queue order by due_at, loop_id`,
  );
}

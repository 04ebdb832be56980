import { sql, type Expression, type ExpressionBuilder, type SqlBool } from 'kysely';
import { LoopwrightError } from '../../core/error.ts';
import type { Queue, QueueClaim, QueueClaimInput, QueueEntry } from '../../ports/queue.ts';
import type { Database, Db } from './schema.ts';

/** The queue over one transaction. */
export function createQueue(db: Db): Queue {
  return {
    enqueue: (loopId, dueAt) => enqueue(db, loopId, dueAt),
    claim: (input) => claim(db, input),
    renew: (held, leaseUntil) => renew(db, held, leaseUntil),
    complete: (held) => complete(db, held),
    release: (held, dueAt) => release(db, held, dueAt),
    entries: () => entries(db),
  };
}

async function enqueue(db: Db, loopId: string, dueAt: number): Promise<void> {
  await db
    .insertInto('queue')
    .values({ loop_id: loopId, due_at: dueAt, owner: null, lease_until: null })
    .onConflict((conflict) => conflict.column('loop_id').doUpdateSet({ due_at: dueAt }))
    .execute();
}

/** A loop asked for by name is taken even before it is due: its owner does the waiting. */
async function claim(db: Db, input: QueueClaimInput): Promise<QueueClaim | null> {
  const taken = await db
    .updateTable('queue')
    .set({ owner: input.owner, lease_until: input.leaseUntil })
    .where('loop_id', '=', (expression) =>
      expression
        .selectFrom('queue')
        .select('loop_id')
        .where((inner) => isFree(inner, input))
        .where((inner) =>
          input.loopId === undefined
            ? inner('due_at', '<=', input.now)
            : inner('loop_id', '=', input.loopId),
        )
        .orderBy('due_at')
        .orderBy('loop_id')
        .limit(1),
    )
    .returning('loop_id')
    .executeTakeFirst();
  if (taken === undefined) return null;
  const token = await raiseToken(db, taken.loop_id);
  return { loopId: taken.loop_id, owner: input.owner, token };
}

/**
 * No owner, an ended lease, or an owner that is known to be gone. Whoever asks for the next loop is not given
 * one that it drives already; asking for its own by name again is its own business.
 */
function isFree(
  expression: ExpressionBuilder<Database, 'queue'>,
  input: QueueClaimInput,
): Expression<SqlBool> {
  const gone = [input.takeOver, input.loopId === undefined ? undefined : input.owner];
  return expression.or([
    expression('owner', 'is', null),
    expression('lease_until', '<=', input.now),
    ...gone.flatMap((owner) => (owner === undefined ? [] : [expression('owner', '=', owner)])),
  ]);
}

async function raiseToken(db: Db, loopId: string): Promise<number> {
  const row = await db
    .updateTable('loops')
    .set((expression) => ({ token: expression('token', '+', 1) }))
    .where('id', '=', loopId)
    .returning('token')
    .executeTakeFirstOrThrow();
  return row.token;
}

async function renew(db: Db, held: QueueClaim, leaseUntil: number): Promise<boolean> {
  const result = await db
    .updateTable('queue')
    .set({ lease_until: leaseUntil })
    .where(isHeld(held))
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

async function complete(db: Db, held: QueueClaim): Promise<void> {
  const result = await db.deleteFrom('queue').where(isHeld(held)).executeTakeFirst();
  if (result.numDeletedRows === 1n) return;
  throw new LoopwrightError('store.fenced', `${held.loopId} is driven by another owner now`, {
    details: { loopId: held.loopId, token: held.token },
  });
}

/** A claim that was lost has nothing to give back, so then nothing changes. */
async function release(db: Db, held: QueueClaim, dueAt: number): Promise<void> {
  await db
    .updateTable('queue')
    .set({ due_at: dueAt, owner: null, lease_until: null })
    .where(isHeld(held))
    .execute();
}

function isHeld(held: QueueClaim): Expression<SqlBool> {
  return sql<SqlBool>`loop_id = ${held.loopId} and owner = ${held.owner}
    and ${held.token} = (select token from loops where id = ${held.loopId})`;
}

async function entries(db: Db): Promise<readonly QueueEntry[]> {
  return db
    .selectFrom('queue')
    .select(['loop_id as loopId', 'due_at as dueAt', 'owner', 'lease_until as leaseUntil'])
    .orderBy('due_at')
    .orderBy('loop_id')
    .execute();
}

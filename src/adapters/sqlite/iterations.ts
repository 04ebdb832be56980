import type { Iteration, Loop } from '../../core/loop/loop.ts';
import type { Db } from './schema.ts';

/** Writes the iterations in which `after` differs from `before`, a fold of the same log that is already stored. */
export async function writeChangedIterations(db: Db, before: Loop, after: Loop): Promise<void> {
  for (const [index, iteration] of after.iterations.entries()) {
    const stored = before.iterations[index];
    // The fold copies what it changes and keeps the rest, so identity tells them apart.
    if (stored === iteration) continue;
    if (stored === undefined) await insertIteration(db, after.id, iteration);
    else await updateIteration(db, after.id, iteration);
  }
}

async function insertIteration(db: Db, loopId: string, iteration: Iteration): Promise<void> {
  await db
    .insertInto('iterations')
    .values({ loop_id: loopId, number: iteration.number, ...projection(iteration) })
    .execute();
}

async function updateIteration(db: Db, loopId: string, iteration: Iteration): Promise<void> {
  await db
    .updateTable('iterations')
    .set(projection(iteration))
    .where('loop_id', '=', loopId)
    .where('number', '=', iteration.number)
    .execute();
}

function projection(iteration: Iteration) {
  return {
    attempt: iteration.attempt,
    status: iteration.status,
    outcome: iteration.outcome,
    started_at: iteration.startedAt,
    ended_at: iteration.endedAt,
    state: JSON.stringify(iteration),
  };
}

import type { Iteration, Loop } from '../../core/loop/loop.ts';
import type { Db, IterationsTable } from './schema.ts';
import { assigned, inserted, sql } from './sql.ts';

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

/** Every iteration as the log tells it, and none that it does not know. */
export async function rewriteIterations(db: Db, loop: Loop): Promise<void> {
  await db.run(sql`delete from iterations where loop_id = ${loop.id}`);
  for (const iteration of loop.iterations) await insertIteration(db, loop.id, iteration);
}

async function insertIteration(db: Db, loopId: string, iteration: Iteration): Promise<void> {
  const { number } = iteration;
  const row = inserted<IterationsTable>({ loop_id: loopId, number, ...projection(iteration) });
  await db.run(sql`insert into iterations ${row}`);
}

async function updateIteration(db: Db, loopId: string, iteration: Iteration): Promise<void> {
  await db.run(sql`
    update iterations set ${assigned<IterationsTable>(projection(iteration))}
    where loop_id = ${loopId} and number = ${iteration.number}`);
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

import { restsForNextRun } from '../core/loop/may-have-passed.ts';
import type { LoopRow, StoreTx } from '../ports/store.ts';

/**
 * Loops at rest of which the next run may go on with some, newest first. Only the newest of a task counts, and none of a task that
 * is settled: what an older loop has left was taken over by the one after it.
 */
export async function newestAtRest(tx: StoreTx): Promise<readonly LoopRow[]> {
  const found: LoopRow[] = [];
  for (const row of await tx.loops.list({ statuses: restsForNextRun })) {
    const [newest] = await tx.loops.list({ taskId: row.taskId, limit: 1 });
    if (newest?.id !== row.id) continue;
    const task = await tx.tasks.get(row.taskId);
    const isSettled = task === null || task.status === 'done' || task.status === 'cancelled';
    if (!isSettled) found.push(row);
  }
  return found;
}

import { awaitsMerge, heldText, isHeldUnproven } from '../core/loop/finishing.ts';
import { lastIteration, type Loop } from '../core/loop/loop.ts';
import { needsPersonText } from '../core/memory/needs-person.ts';
import type { StoreTx, TaskClaim, TransitionInput } from '../ports/store.ts';

/** What the end of a loop means for its task. Runs in the transaction that records the end. */
export async function settleTask(tx: StoreTx, loop: Loop, claim: TaskClaim): Promise<void> {
  const change: TransitionInput = { now: loop.updatedAt, reason: loop.text, claim };
  switch (loop.status) {
    case 'complete':
      // Its dependents start from the base: they wait until it is there.
      if (awaitsMerge(loop)) return;
      if (isHeldUnproven(loop)) {
        await tx.tasks.transition(loop.taskId, 'blocked', { ...change, reason: heldText(loop) });
        return;
      }
      await tx.tasks.transition(loop.taskId, 'done', {
        ...change,
        reason: null,
        summary: summaryOf(loop),
      });
      return;
    case 'failed':
      await failOrRetry(tx, loop, change);
      return;
    case 'blocked':
      await tx.tasks.transition(loop.taskId, 'blocked', change);
      return;
    case 'stopped':
      await tx.tasks.transition(
        loop.taskId,
        loop.reason === 'cancelled' ? 'cancelled' : 'paused',
        change,
      );
      return;
    case 'paused':
      await tx.tasks.transition(loop.taskId, 'paused', change);
      return;
    case 'pending':
    case 'running':
    case 'waiting':
    case 'rebasing':
      return;
  }
}

/** `max-retries` allows another loop, which starts with the memory of the earlier ones. */
async function failOrRetry(tx: StoreTx, loop: Loop, change: TransitionInput): Promise<void> {
  const task = await tx.tasks.get(loop.taskId);
  const again = task !== null && task.retries < task.maxRetries;
  if (again) {
    await tx.tasks.transition(loop.taskId, 'pending', { ...change, retry: true });
    return;
  }
  const why = await needsPerson(tx, loop);
  await tx.tasks.transition(
    loop.taskId,
    'failed',
    why === null ? change : { ...change, reason: why },
  );
  if (why !== null) await tx.attempts.needPerson(loop.taskId, why);
}

/** The last step of the escalation: a loop fails and no other one may try. Null when there was no attempt. */
async function needsPerson(tx: StoreTx, loop: Loop): Promise<string | null> {
  const metrics = await tx.attempts.metrics(loop.taskId);
  if (metrics === null || metrics.consecutiveFailures === 0) return null;
  const attempts = await tx.attempts.list(loop.taskId, 3);
  return needsPersonText(metrics.consecutiveFailures, attempts, loop.text);
}

/** What the loop said it did, for dependents. */
export function summaryOf(loop: Loop): string | null {
  return lastIteration(loop)?.agent?.summary ?? null;
}

import { LoopwrightError } from '../../core/error.ts';
import { canTransition } from '../../core/graph/transitions.ts';
import type { Task, TaskStatus } from '../../core/task/task.ts';
import type { Opened } from '../../daemon/compose.ts';
import type { Engine } from '../../engine/engine.ts';
import { recordAtRest } from '../../engine/resting-loop.ts';
import { isSessionAlive } from '../../engine/session.ts';
import type { LoopRow } from '../../ports/store.ts';
import { withSession } from '../session.ts';

export type ByHand = {
  readonly to: TaskStatus;
  readonly reason: string | null;
  readonly summary: string | null;
};

export type Changed = {
  readonly task: Task;
  readonly before: TaskStatus;
  /** Loops that were left in the middle and do not go on now. */
  readonly stopped: readonly string[];
};

/**
 * Changes the status of a task because a person says so. Refused while somebody works on it. Its unfinished loops are
 * stopped first: they would otherwise go on with what was just settled.
 */
export async function changeByHand(
  { engine }: Opened,
  reference: string,
  change: ByHand,
): Promise<Changed> {
  const task = await engine.store.read((tx) => tx.tasks.resolve(reference));
  await refuseRunning(engine, task);
  if (task.status === change.to) return { task, before: task.status, stopped: [] };
  refuseNeverBegun(task, change.to);
  const stopped = await stopUnfinished(engine, task, change.to);
  const { to, reason, summary } = change;
  const changed = await engine.store.write(async (tx) => {
    await tx.attempts.needPerson(task.id, null);
    return tx.tasks.transition(task.id, to, { now: engine.clock.now(), reason, summary });
  });
  return { task: changed, before: task.status, stopped };
}

/** Throws `task.running` when the process that holds the task lives. */
export async function refuseRunning(engine: Engine, task: Task): Promise<void> {
  if (task.status !== 'running') return;
  const claim = await engine.store.read((tx) => tx.tasks.claimOf(task.id));
  if (claim === null || !(await isSessionAlive(engine, claim.owner))) return;
  throw new LoopwrightError(
    'task.running',
    `task ${task.id} “${task.title}” is being worked on right now`,
    {
      hint: `stop it first: \`loopwright loop stop ${task.id}\``,
      details: { taskId: task.id, owner: claim.owner },
    },
  );
}

/** The table of transitions says no in any case; this says what to do instead. */
function refuseNeverBegun(task: Task, to: TaskStatus): void {
  if (to !== 'failed' || canTransition(task.status, to)) return;
  throw new LoopwrightError(
    'task.transition',
    `task ${task.id} “${task.title}” is ${task.status}: only work that was begun can fail`,
    {
      hint: `take it back with \`loopwright task edit ${task.id} --draft\`, or remove it with \`loopwright task delete ${task.id}\``,
      details: { taskId: task.id, from: task.status, to },
    },
  );
}

async function stopUnfinished(
  engine: Engine,
  task: Task,
  to: TaskStatus,
): Promise<readonly string[]> {
  const loops = await engine.store.read((tx) => tx.loops.list({ taskId: task.id }));
  const unfinished = loops.filter(isUnfinished);
  if (unfinished.length === 0) return [];
  await withSession(engine, async (session) => {
    for (const { id } of unfinished) {
      const text = `its task was set to ${to} by hand`;
      await recordAtRest(engine, session, id, {
        type: 'loop.rested',
        status: 'stopped',
        reason: 'user',
        text,
      });
    }
  });
  return unfinished.map(({ id }) => id);
}

function isUnfinished({ status }: LoopRow): boolean {
  return status === 'paused' || status === 'blocked';
}

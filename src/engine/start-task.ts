import type { Settings } from '../core/config/schema.ts';
import { awaitsMerge } from '../core/loop/finishing.ts';
import type { Loop } from '../core/loop/loop.ts';
import { isResting } from '../core/loop/status.ts';
import type { Task } from '../core/task/task.ts';
import type { StoreTx } from '../ports/store.ts';
import { createLoop } from './create-loop.ts';
import { driveLoop, type Run } from './drive-loop.ts';
import { finishLoop } from './finish-loop.ts';
import { noticeBaseMove } from './notice-base-move.ts';
import { leaseOf, takeOverFrom } from './session.ts';
import { cannotClaimTask } from './take-loop.ts';
import { unfinishedLoop } from './text-task.ts';

/** A new loop for a task, driven to its rest; the loop of an engine that died goes on instead. */
export async function startTask(run: Run, task: Task): Promise<Loop> {
  const { engine, options } = run;
  try {
    await holdTask(run, task);
    // Its engine died meanwhile and its lease has ended: the loop goes on, there is no second one beside it.
    const orphan = await unfinishedLoop(engine, task.id);
    if (orphan !== null && !isResting(orphan.status)) {
      return await driveLoop(run, orphan.id, { why: 'its engine was gone' });
    }
    // Or its work is done and only has to be merged.
    const complete = await engine.store.read((tx) => loopAwaitingMerge(tx, task.id));
    if (complete !== null) return await finishLoop(engine, run.session, run.merges, complete);
    const plan = await options.planFor(task);
    await warnOfUnmerged(run, task, plan.settings);
    const loop = await createLoop(engine, {
      task,
      ...plan,
      options: { ...options.loop, verifyOnly: task.children > 0 },
      allowDirty: options.allowDirty,
      ...(options.checkout === undefined ? {} : { checkout: options.checkout }),
    });
    await noticeBaseMove(engine, loop);
    const [driven] = await Promise.all([
      driveLoop(run, loop.id, { why: 'started' }),
      run.tellUncommitted(loop),
    ]);
    return driven;
  } catch (error) {
    // What a person must put right leaves the task as it was, ready to be run again.
    // If even that fails the store is what broke; the error itself says more, and the claim ends with this process.
    await releaseTask(run, task.id).catch(() => {});
    throw error;
  }
}

/** Prerequisites that were done but not merged are not in the base this loop starts from. */
async function warnOfUnmerged({ engine }: Run, task: Task, settings: Settings): Promise<void> {
  if (settings.git.merge !== 'none' || engine.project.kind !== 'git') return;
  const unmerged = await engine.store.read(async (tx) => {
    const titles: string[] = [];
    const before = [
      ...(await tx.tasks.dependenciesOf(task.id)),
      ...(await tx.tasks.childrenOf(task.id)),
    ];
    for (const each of before) {
      const [newest] = await tx.loops.list({ taskId: each.id, limit: 1 });
      const loop = newest === undefined ? null : await tx.loops.get(newest.id);
      if (loop !== null && loop.status === 'complete' && loop.mergedInto === null)
        titles.push(each.title);
    }
    return titles;
  });
  if (unmerged.length === 0) return;
  const text = `warning: the work of ${unmerged.join(', ')} is not merged, so "${task.title}" starts without it (--merge local merges by itself)`;
  engine.publish({ kind: 'notice', text });
}

/** The task is claimed before its loop exists: a task that cannot be worked on leaves no loop behind. */
async function holdTask({ engine, session }: Run, task: Task): Promise<void> {
  const held = await engine.store.read((tx) => tx.tasks.claimOf(task.id));
  if (held?.owner === session.id) return;
  const gone = await takeOverFrom(engine, session, held?.owner ?? null);
  await engine.reach('before:claim-task');
  await engine.store.write(async (tx) => {
    const now = engine.clock.now();
    const lease = await leaseOf(tx, engine.leaseMs);
    const input = { owner: session.id, now, lease, taskId: task.id, ...gone };
    if ((await tx.tasks.claim(input)) === null) throw await cannotClaimTask(tx, task.id);
  });
  await engine.reach('after:claim-task');
}

async function releaseTask({ engine, session }: Run, taskId: string): Promise<void> {
  await engine.reach('before:release-task');
  await engine.store.write(async (tx) => {
    const claim = await tx.tasks.claimOf(taskId);
    // One whose work is complete is not ready to be run again: the next run merges it.
    if ((await loopAwaitingMerge(tx, taskId)) !== null) return;
    if (claim !== null && claim.owner === session.id) await tx.tasks.release(claim);
  });
  await engine.reach('after:release-task');
}

async function loopAwaitingMerge(tx: StoreTx, taskId: string): Promise<Loop | null> {
  const [newest] = await tx.loops.list({ taskId, limit: 1 });
  const loop = newest === undefined ? null : await tx.loops.get(newest.id);
  return loop !== null && awaitsMerge(loop) ? loop : null;
}

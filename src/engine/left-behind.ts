import { isLoopwrightError } from '../core/error.ts';
import type { Loop } from '../core/loop/loop.ts';
import { nextRunGoesOn, nextRunMayGoOn } from '../core/loop/may-have-passed.ts';
import { isResting } from '../core/loop/status.ts';
import type { Session, TaskClaim } from '../ports/store.ts';
import type { Engine } from './engine.ts';
import { readRecorded } from './folded-loop.ts';
import { newestAtRest } from './newest-at-rest.ts';
import { holdAtRest } from './resting-loop.ts';
import { hasLivingOwner, isSessionAlive } from './session.ts';
import { isTakenElsewhere } from './taken-elsewhere.ts';

/** What engines that are gone have left to do. */
export type LeftBehind = {
  /** Loops to be driven on: they have no living owner. */
  readonly loops: readonly Loop[];
  /**
   * Loops that a signal, a full disk, an outage, the budget of a run or an error has paused, that a person sent back, or whose
   * provider wanted a sign-in.
   */
  readonly paused: readonly Loop[];
  /** Complete loops that were not merged or tidied up to the end. */
  readonly unfinished: readonly Loop[];
  /** Blocked because of something in the way of their merge that may be gone by now. */
  readonly refused: readonly Loop[];
};

/** Looks for loops without a living owner. Entries that nothing is left to do for are taken out of the queue. */
export async function findLeftBehind(engine: Engine, session: Session): Promise<LeftBehind> {
  const { entries, rows } = await engine.store.read(async (tx) => ({
    entries: await tx.queue.entries(),
    rows: await newestAtRest(tx),
  }));
  const loops: Loop[] = [];
  const paused: Loop[] = [];
  const unfinished: Loop[] = [];
  for (const entry of entries) {
    if (await hasLivingOwner(engine, entry)) continue;
    const loop = await recordedLoop(engine, entry.loopId);
    if (loop === null || (await isBeingStarted(engine, session, loop))) continue;
    if (!isResting(loop.status)) loops.push(loop);
    else if (loop.status === 'complete') unfinished.push(loop);
    else await dropEntry(engine, session, loop);
  }
  const refused: Loop[] = [];
  for (const row of rows) {
    if (!nextRunMayGoOn(row) && row.reason !== 'gate') continue;
    const loop = await recordedLoop(engine, row.id);
    if (loop !== null && nextRunGoesOn(loop)) paused.push(loop);
    else if (loop?.mayPass === true) refused.push(loop);
  }
  return { loops, paused, unfinished, refused };
}

/** One whose log was changed is left alone, and keeps no other from going on. */
async function recordedLoop(engine: Engine, loopId: string): Promise<Loop | null> {
  try {
    return (await engine.store.read((tx) => readRecorded(tx, loopId)))?.loop ?? null;
  } catch (error) {
    if (!isLoopwrightError(error) || error.code !== 'store.log_changed') throw error;
    const text = `warning: ${loopId} is left as it is: ${error.message}`;
    engine.publish({ kind: 'notice', text });
    return null;
  }
}

/** A new loop has no owner for a moment; its task has one from before. */
async function isBeingStarted(engine: Engine, session: Session, loop: Loop): Promise<boolean> {
  if (loop.status !== 'pending') return false;
  const held = await engine.store.read((tx) => tx.tasks.claimOf(loop.taskId));
  if (held === null || held.owner === session.id) return false;
  return isSessionAlive(engine, held.owner);
}

/** Whoever was changing a resting loop is gone; the change was made in one transaction or not at all. */
async function dropEntry(engine: Engine, session: Session, loop: Loop): Promise<void> {
  try {
    await using _held = await holdAtRest(engine, session, loop.id);
  } catch (error) {
    if (!isTakenElsewhere(error)) throw error;
  }
}

/** Tasks that a session had claimed before it died go back to where they were, unless a loop of theirs goes on. */
export async function freeTasksOfGone(engine: Engine, session: Session): Promise<void> {
  const claims = await engine.store.read(async (tx) => {
    const held: TaskClaim[] = [];
    for (const { id } of await tx.tasks.list({ status: 'running' })) {
      const claim = await tx.tasks.claimOf(id);
      if (claim?.owner === session.id) continue;
      // Somebody who is no session of ours keeps a claim as long as its lease lasts.
      if (claim !== null && (await tx.sessions.get(claim.owner)) !== null) held.push(claim);
    }
    return held;
  });
  for (const claim of claims) {
    if (await isSessionAlive(engine, claim.owner)) continue;
    await engine.reach('before:release-task');
    await engine.store.write(async (tx) => {
      const entries = await tx.queue.entries();
      for (const { loopId } of entries) {
        if ((await tx.loops.get(loopId))?.taskId === claim.taskId) return;
      }
      const now = await tx.tasks.claimOf(claim.taskId);
      if (now?.token === claim.token) await tx.tasks.release(claim);
    });
    await engine.reach('after:release-task');
  }
}

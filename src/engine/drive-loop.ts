import type { Loop } from '../core/loop/loop.ts';
import type { Session } from '../ports/store.ts';
import { isDiskFull, waitForRoom } from './disk-full.ts';
import type { Engine } from './engine.ts';
import { finishLoop } from './finish-loop.ts';
import type { MergeQueue } from './merge-queue.ts';
import { driveOrPark } from './park.ts';
import type { RunControl, RunOptions } from './run-loops.ts';
import { takeLoop, type TakeOptions } from './take-loop.ts';

/** One run, as everything that belongs to it needs it. */
export type Run = {
  readonly engine: Engine;
  readonly session: Session;
  readonly options: RunOptions;
  readonly control: RunControl;
  readonly merges: MergeQueue;
  /** Says once what a new loop starts without. */
  readonly tellUncommitted: (loop: Loop) => Promise<void>;
};

/** Drives a loop to its rest. A full disk pauses it, and it goes on by itself when there is room again. */
export async function driveLoop(run: Run, loopId: string, options: TakeOptions): Promise<Loop> {
  const { engine, control } = run;
  for (let take = options; ; take = { why: 'there is space again' }) {
    try {
      return await driveOnce(run, loopId, take);
    } catch (error) {
      const loop = await parkedLoop(engine, loopId, error);
      if (loop === null) throw error;
      const why = (loop.text ?? 'no space left').replace(/\.$/, '');
      const waits = engine.slots.waitsForDisk;
      const then = waits ? 'it goes on when there is space again' : 'the next run goes on with it';
      engine.publish({ kind: 'notice', text: `${loop.id} is paused: ${why}; ${then}` });
      if (!waits) return loop;
      if (!(await waitForRoom(engine, loop, control.asked))) return loop;
      await engine.disk.holdReserve();
    }
  }
}

/** The loop, if a full disk has paused it; null after any other error. */
async function parkedLoop(engine: Engine, loopId: string, error: unknown): Promise<Loop | null> {
  if (!isDiskFull(error)) return null;
  const loop = await engine.store.read((tx) => tx.loops.get(loopId));
  return loop?.status === 'paused' && loop.reason === 'disk' ? loop : null;
}

async function driveOnce(run: Run, loopId: string, options: TakeOptions): Promise<Loop> {
  const { engine, session, control, merges } = run;
  const loop = await driveToRest();
  // The next loop goes on while this one is merged, unless all are to run one after the other.
  const isAlone = engine.slots.limits.slots.loop === 1;
  if (!isAlone) engine.slots.give('loop', loop.taskId);
  return finishLoop(engine, session, merges, loop).catch((error: unknown) => {
    if (!control.cut.aborted) throw error;
    const text = `the merge of ${loop.id} was cut short; the next run finishes it`;
    engine.publish({ kind: 'notice', text });
    return loop;
  });

  async function driveToRest(): Promise<Loop> {
    await using ahead = new AsyncDisposableStack();
    ahead.defer(() => engine.supervisor.endStandby(loopId));
    ahead.defer(() => engine.doors.close(loopId));
    await using owner = await takeLoop(engine, session, loopId, options);
    // Only its owner may: nobody else listens there from now on.
    if (engine.inside !== null) engine.doors.prepare(loopId);
    using _requests = control.attach(owner);
    try {
      return await driveOrPark(engine, owner);
    } finally {
      engine.budget.ended(loopId, null, false);
      engine.slots.give('agent', loopId);
    }
  }
}

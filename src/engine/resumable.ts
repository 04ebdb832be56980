import type { Loop } from '../core/loop/loop.ts';
import { mayHavePassed } from '../core/loop/may-have-passed.ts';
import type { Flags } from '../core/loop/event.ts';
import type { StoreTx } from '../ports/store.ts';
import type { Engine } from './engine.ts';
import { liveSettings, spentBudget } from './live-settings.ts';
import { newestAtRest } from './newest-at-rest.ts';

/** Loops that rest for a reason that may have passed: the newest of each task that is not settled, oldest first. */
export async function findResumable(engine: Engine, flags: Flags = {}): Promise<readonly Loop[]> {
  const found = await engine.store.read(mayResume);
  const loops: Loop[] = [];
  for (const loop of found) {
    const answer = mayHavePassed(loop.status, loop.reason);
    if (answer === 'yes' || (answer === 'spent' && (await hasRoom(engine, loop, flags)))) {
      loops.push(loop);
    }
  }
  return loops.toReversed();
}

async function mayResume(tx: StoreTx): Promise<readonly Loop[]> {
  const loops: Loop[] = [];
  for (const { id, status, reason } of await newestAtRest(tx)) {
    const loop = mayHavePassed(status, reason) === 'no' ? null : await tx.loops.get(id);
    if (loop !== null) loops.push(loop);
  }
  return loops;
}

async function hasRoom(engine: Engine, loop: Loop, flags: Flags): Promise<boolean> {
  const { kept } = await liveSettings(engine, loop, { ...loop.flags, ...flags });
  return spentBudget({ ...loop, settings: kept }) === null;
}

/** Opens failed tasks again, each for another loop; says how many. */
export async function reopenFailed(engine: Engine): Promise<number> {
  return engine.store.write(async (tx) => {
    const now = engine.clock.now();
    const failed = (await tx.tasks.list({ status: 'failed' })).filter(
      ({ openChildren }) => openChildren === 0,
    );
    for (const { id } of failed) {
      await tx.attempts.needPerson(id, null);
      await tx.tasks.transition(id, 'pending', { now, reason: null });
    }
    return failed.length;
  });
}

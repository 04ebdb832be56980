import { isSharedBudget } from '../core/budget/ledger.ts';
import { standstillOf, type Standstill } from '../core/graph/standstill.ts';
import { newestOfEachTask } from '../core/loop/finishing.ts';
import type { Loop } from '../core/loop/loop.ts';
import { nextRunGoesOn, nextRunMayGoOn } from '../core/loop/may-have-passed.ts';
import type { Engine } from './engine.ts';
import { newestAtRest } from './newest-at-rest.ts';
import type { RunOutcome } from './run-loops.ts';

type CutShort = Pick<RunOutcome, 'full' | 'spent'>;

/** A full disk or a budget of the run has kept tasks from starting, or has stopped loops that were under way. */
export function cutShort(loops: readonly Loop[], { full, spent }: CutShort): CutShort {
  const ended = newestOfEachTask(loops);
  return {
    full: full ?? ended.find(isPausedByDisk)?.text ?? null,
    spent: spent ?? ended.find(isStoppedByRun)?.text ?? null,
  };
}

function isPausedByDisk({ status, reason }: Loop): boolean {
  return status === 'paused' && reason === 'disk';
}

function isStoppedByRun({ status, reason, text }: Loop): boolean {
  return status === 'stopped' && reason === 'budget' && isSharedBudget(text);
}

export const nothingWaits: Standstill = { forPerson: 0, forNextRun: 0, forOthers: 0 };

/** What pending tasks wait for when none of them is ready. */
export function standstill({ store }: Engine): Promise<Standstill> {
  return store.read(async (tx) => {
    const goesOn = new Set<string>();
    for (const row of await newestAtRest(tx)) {
      const loop = nextRunMayGoOn(row) ? await tx.loops.get(row.id) : null;
      if (loop !== null && nextRunGoesOn(loop)) goesOn.add(loop.taskId);
    }
    return standstillOf(await tx.tasks.list({}), await tx.tasks.edges(), goesOn);
  });
}

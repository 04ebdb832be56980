import { mergeLive } from '../core/config/frozen.ts';
import type { Settings } from '../core/config/schema.ts';
import { exceededBudget, unaffordable } from '../core/loop/budget.ts';
import type { Flags } from '../core/loop/event.ts';
import type { Loop } from '../core/loop/loop.ts';
import { worksInPlace } from '../core/loop/place.ts';
import type { Engine } from './engine.ts';
import { settingsForTask } from './plan-loop.ts';

/** The settings a loop goes on with: its own, with live keys as the files say now; and all of them as they say. */
export async function liveSettings(
  engine: Engine,
  loop: Loop,
  flags: Flags,
): Promise<{ readonly read: Settings; readonly fresh: Settings; readonly kept: Settings }> {
  const task = await engine.store.read((tx) => tx.tasks.get(loop.taskId));
  const read = await engine.reloadSettings(loop.loopType, flags);
  const fresh = task === null ? read : settingsForTask(read, task);
  const kept = worksInPlace(loop) ? loop.settings : mergeLive(loop.settings, fresh);
  return { read, fresh, kept };
}

/** The budget of a loop that is used up; null: there is room. */
export function spentBudget(loop: Loop): string | null {
  return exceededBudget(loop) ?? unaffordable(loop);
}

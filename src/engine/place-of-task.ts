import type { Task } from '../core/task/task.ts';
import type { Engine } from './engine.ts';
import type { RunOptions } from './run-loops.ts';
import { slotPlace, type SlotPlace } from './slot-place.ts';

export type PlaceOfTask = (task: Task) => Promise<SlotPlace>;

const unplanned: SlotPlace = { provider: null, needsAgent: true };

/** Under which limits a loop of a task would be, by its type. What cannot be planned is told when it starts. */
export function createPlaceOfTask(
  engine: Pick<Engine, 'resolveAgent'>,
  { planFor }: Pick<RunOptions, 'planFor'>,
): PlaceOfTask {
  const known = new Map<string, Promise<SlotPlace>>();
  return (task) => {
    const key = task.type ?? '';
    const planned =
      known.get(key) ??
      planFor(task).then(
        ({ settings }) => slotPlace(engine, settings),
        () => unplanned,
      );
    known.set(key, planned);
    return planned;
  };
}

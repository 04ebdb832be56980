import { providerOf } from '../core/agent/provider.ts';
import type { Task } from '../core/task/task.ts';
import type { RunOptions } from './run-loops.ts';

export type ProviderOfTask = (task: Task) => Promise<string | null>;

/** Whose limits a loop of a task would be under, by its type. What cannot be planned is told when it starts. */
export function createProviderOfTask({ planFor }: Pick<RunOptions, 'planFor'>): ProviderOfTask {
  const known = new Map<string, Promise<string | null>>();
  return (task) => {
    const key = task.type ?? '';
    const planned =
      known.get(key) ??
      planFor(task).then(
        ({ settings }) => providerOf(settings),
        () => null,
      );
    known.set(key, planned);
    return planned;
  };
}

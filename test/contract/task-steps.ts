import type { NewTask, Task, TaskStatus } from '../../src/core/task/task.ts';
import type { Store, TaskFilter, TransitionInput } from '../../src/ports/store.ts';

/** One step each, in a transaction of its own. Times are fixed unless they matter. */
export function add(
  store: Store,
  id: string,
  task: NewTask = { title: id },
  now = 1,
): Promise<Task> {
  return store.write(({ tasks }) => tasks.add(id, task, now));
}

export function edit(store: Store, id: string, change: Partial<NewTask>): Promise<Task> {
  return store.write(({ tasks }) => tasks.edit(id, change, 40));
}

export function move(
  store: Store,
  id: string,
  to: TaskStatus,
  input: Partial<TransitionInput> = {},
): Promise<Task> {
  return store.write(({ tasks }) => tasks.transition(id, to, { now: 30, ...input }));
}

export async function get(store: Store, id: string): Promise<Task> {
  const task = await store.read(({ tasks }) => tasks.get(id));
  if (task === null) throw new Error(`${id} is not stored`);
  return task;
}

export function list(store: Store, filter: TaskFilter = {}): Promise<readonly Task[]> {
  return store.read(({ tasks }) => tasks.list(filter));
}

export function resolve(store: Store, reference: string): Promise<Task> {
  return store.read(({ tasks }) => tasks.resolve(reference));
}

export async function ready(store: Store): Promise<readonly string[]> {
  return (await store.read(({ tasks }) => tasks.ready(100))).map(({ id }) => id);
}

export async function statuses(store: Store): Promise<Record<string, TaskStatus>> {
  return Object.fromEntries((await list(store)).map(({ id, status }) => [id, status]));
}

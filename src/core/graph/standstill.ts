import type { Task, TaskStatus } from '../task/task.ts';

export type Edge = { readonly taskId: string; readonly dependsOn: string };

/** What pending tasks wait for when none of them is ready. */
export type Standstill = {
  /** Behind a task that a person must look at first: it failed, is blocked, paused or cancelled, or is a draft. */
  readonly forPerson: number;
  /** Only behind tasks that are being worked on. */
  readonly forOthers: number;
};

type Standing = Pick<Task, 'id' | 'status' | 'parentId' | 'held'>;

const resting: ReadonlySet<TaskStatus> = new Set([
  'draft',
  'blocked',
  'paused',
  'failed',
  'cancelled',
]);

/** A pending task waits for its open dependencies, for its open children, and for ancestors that hold it. */
export function standstillOf(tasks: readonly Standing[], edges: readonly Edge[]): Standstill {
  const pending = new Set(tasks.filter(({ status }) => status === 'pending').map(({ id }) => id));
  const behind = Map.groupBy(edges, ({ dependsOn }) => dependsOn);
  const parentOf = new Map(tasks.map(({ id, parentId }) => [id, parentId]));
  const forPerson = new Set<string>();
  const stuck = tasks.filter(
    ({ status, held }) => resting.has(status) || (status === 'pending' && held > 0),
  );
  const open = stuck.map(({ id }) => id);
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (pending.has(id)) forPerson.add(id);
    const above = parentOf.get(id) ?? null;
    const waiting = [
      ...(behind.get(id) ?? []).map(({ taskId }) => taskId),
      ...(above === null ? [] : [above]),
    ];
    open.push(...waiting.filter((each) => pending.has(each) && !forPerson.has(each)));
  }
  return { forPerson: forPerson.size, forOthers: pending.size - forPerson.size };
}

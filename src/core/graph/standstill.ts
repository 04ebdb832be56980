import type { Task, TaskStatus } from '../task/task.ts';

export type Edge = { readonly taskId: string; readonly dependsOn: string };

/** What pending tasks wait for when none of them is ready. */
export type Standstill = {
  /** Behind a task that a person must look at first: it failed, is blocked, paused or cancelled, or is a draft. */
  readonly forPerson: number;
  /** Behind a task at rest that the next run goes on with by itself, and behind none of those. */
  readonly forNextRun: number;
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

/**
 * A pending task waits for its open dependencies, for its open children, and for ancestors that hold it. `goesOn`: tasks at rest that
 * the next run goes on with.
 */
export function standstillOf(
  tasks: readonly Standing[],
  edges: readonly Edge[],
  goesOn: ReadonlySet<string>,
): Standstill {
  const pending = new Set(tasks.filter(({ status }) => status === 'pending').map(({ id }) => id));
  const parentOf = new Map(tasks.map(({ id, parentId }) => [id, parentId]));
  const behind = Map.groupBy(edges, ({ dependsOn }) => dependsOn);
  /** Pending tasks that wait for one of these, however far behind. */
  const behindOf = (stuck: readonly Standing[]): ReadonlySet<string> => {
    const found = new Set<string>();
    const open = stuck.map(({ id }) => id);
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      if (pending.has(id)) found.add(id);
      const above = parentOf.get(id) ?? null;
      const waiting = [
        ...(behind.get(id) ?? []).map(({ taskId }) => taskId),
        ...(above === null ? [] : [above]),
      ];
      open.push(...waiting.filter((each) => pending.has(each) && !found.has(each)));
    }
    return found;
  };
  const isHeldBy = ({ parentId }: Standing, isStuck: (id: string) => boolean): boolean => {
    for (let id = parentId; id !== null; id = parentOf.get(id) ?? null)
      if (isStuck(id)) return true;
    return false;
  };
  const stuck = tasks.filter(({ status }) => resting.has(status));
  const held = tasks.filter((task) => task.status === 'pending' && task.held > 0);
  const isPersons = ({ id }: Standing): boolean => !goesOn.has(id);
  const persons = new Set(stuck.filter(isPersons).map(({ id }) => id));
  const forPerson = behindOf([
    ...stuck.filter(isPersons),
    ...held.filter((task) => isHeldBy(task, (id) => persons.has(id))),
  ]);
  const all = behindOf([...stuck, ...held]);
  return {
    forPerson: forPerson.size,
    forNextRun: all.size - forPerson.size,
    forOthers: pending.size - all.size,
  };
}

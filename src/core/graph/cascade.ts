import type { Task, TaskStatus } from '../task/task.ts';

/**
 * What a task still has to do because of its relatives.
 *
 * - `reopen`: it is done, but a child is open (again).
 * - `block`: a descendant failed, so a person is needed; also when the descendant it names is failed no more and
 *   another one is.
 * - `unblock`: it was blocked by a failed descendant, and none is left.
 * - `finish`: all its children and dependencies are done, and it has no validation of its own.
 */
export type Cascade = 'reopen' | 'block' | 'unblock' | 'finish';

export type Relatives = Pick<
  Task,
  'status' | 'blockers' | 'children' | 'openChildren' | 'validation'
> & {
  /** Descendants that are failed. */
  readonly failedBelow: number;
  /** The failed descendant it names; empty when it has to name another; null when not blocked by one. */
  readonly blockedBy: string | null;
};

/**
 * The move due, or null when the task is settled. Reopening comes before everything else in the whole graph: only
 * then does the order of the other moves not matter.
 */
export function cascadeOf(task: Relatives): Cascade | null {
  if (task.status === 'done') return task.openChildren > 0 ? 'reopen' : null;
  if (task.blockedBy !== null && task.failedBelow === 0) return 'unblock';
  if (task.blockedBy === '') return 'block';
  if (task.status !== 'pending') return null;
  if (task.failedBelow > 0) return 'block';
  const finished = task.children > 0 && task.openChildren === 0 && task.blockers === 0;
  return finished && task.validation === null ? 'finish' : null;
}

/** A task in this status lets nobody start on its descendants. */
export function holdsDescendants(status: TaskStatus): boolean {
  return status === 'failed' || status === 'cancelled' || status === 'paused';
}

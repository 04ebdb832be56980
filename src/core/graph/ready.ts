import type { Task } from '../task/task.ts';

export type Standing = Pick<
  Task,
  'status' | 'blockers' | 'children' | 'openChildren' | 'held' | 'validation'
>;

/**
 * Work may start on it now: pending, no open dependency, no ancestor failed, cancelled or paused, and either a leaf or
 * a parent whose children are all done and whose own validation remains to be run.
 */
export function isReady(task: Standing): boolean {
  if (task.status !== 'pending' || task.blockers > 0 || task.held > 0) return false;
  return isWorkable(task);
}

/** A leaf, or a parent that is due for its own validation. Other parents are never worked on themselves. */
export function isWorkable(task: Pick<Task, 'children' | 'openChildren' | 'validation'>): boolean {
  return task.children === 0 || (task.openChildren === 0 && task.validation !== null);
}

import type { Priority } from '../task/task.ts';

/** How many minutes of waiting each priority is worth. */
export const priorityPoints: Readonly<Record<Priority, number>> = {
  critical: 60,
  high: 40,
  normal: 20,
  low: 0,
};

export const msPerPoint = 60_000;

/**
 * The stored order of ready tasks, smallest first. Priority wins among tasks of equal age; a task that waits is passed
 * only by those that became ready within its priority's distance in minutes, so nothing starves.
 */
export function orderKey(readySince: number, priority: Priority): number {
  return readySince - priorityPoints[priority] * msPerPoint;
}

export type Ranked = {
  readonly orderKey: number;
  /** Rank of creation. */
  readonly sequence: number;
  readonly id: string;
};

export function compareRanked(a: Ranked, b: Ranked): number {
  return a.orderKey - b.orderKey || a.sequence - b.sequence || compareText(a.id, b.id);
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

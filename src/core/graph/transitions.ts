import { LoopwrightError } from '../error.ts';
import type { TaskStatus } from '../task/task.ts';

/**
 * Every way a task may change its status. `running` is entered by a claim only; `done → pending` is a reset, or a
 * parent that got open work again; `pending → done` also covers parents whose last child was finished.
 */
export const allowedTransitions: Readonly<Record<TaskStatus, readonly TaskStatus[]>> = {
  draft: ['pending', 'done', 'cancelled'],
  pending: ['draft', 'running', 'blocked', 'paused', 'done', 'cancelled'],
  blocked: ['pending', 'running', 'paused', 'done', 'cancelled'],
  running: ['pending', 'blocked', 'paused', 'done', 'failed', 'cancelled'],
  paused: ['pending', 'running', 'blocked', 'done', 'failed', 'cancelled'],
  done: ['pending'],
  failed: ['pending', 'running', 'done', 'cancelled'],
  cancelled: ['pending'],
};

export function canTransition(from: TaskStatus, to: TaskStatus): boolean {
  return allowedTransitions[from].includes(to);
}

/** Throws `task.transition` for anything the table does not name. */
export function assertTransition(
  task: { readonly id: string; readonly title: string; readonly status: TaskStatus },
  to: TaskStatus,
): void {
  if (canTransition(task.status, to)) return;
  const possible = allowedTransitions[task.status].join(', ');
  throw new LoopwrightError(
    'task.transition',
    `task ${task.id} “${task.title}” is ${task.status} and cannot become ${to}`,
    {
      hint: `From ${task.status} it can become: ${possible}.`,
      details: { taskId: task.id, from: task.status, to },
    },
  );
}

import type { Task } from '../../../src/core/task/task.ts';

/** A stored task with nothing special about it. */
export function storedTask(task: Partial<Task> & { readonly id: string }): Task {
  return {
    title: task.id,
    description: '',
    parentId: null,
    priority: 'normal',
    type: null,
    validation: null,
    maxRetries: 0,
    retries: 0,
    status: 'pending',
    reason: null,
    guidance: [],
    summary: null,
    blockers: 0,
    children: 0,
    openChildren: 0,
    held: 0,
    readySince: null,
    createdAt: 0,
    updatedAt: 0,
    ...task,
  };
}

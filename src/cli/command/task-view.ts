import { isReady } from '../../core/graph/ready.ts';
import { acceptanceCriteria } from '../../core/task/acceptance.ts';
import type { Task, TaskStatus } from '../../core/task/task.ts';
import { isoTime } from '../../protocol/value.ts';
import type { Argument } from '../command.ts';
import type { Style } from '../render/paint.ts';
import { plural } from '../render/format.ts';

/** The argument of every command that is about one task. */
export const taskArgument: Argument = {
  name: 'TASK',
  summary: 'The id of a task, the beginning of one, or its title in words-with-hyphens.',
  required: true,
  completes: 'tasks',
};

/** A task as commands print it with `--json`. `task` is its id, as in every result; `id` is the same. */
export function taskJson(task: Task) {
  const { createdAt, updatedAt, readySince, guidance, ...fields } = task;
  return {
    task: task.id,
    ...fields,
    ready: isReady(task),
    acceptance: acceptanceCriteria(task.description),
    guidance: guidance.map(({ time, text }) => ({ time: isoTime(time), text })),
    readySince: readySince === null ? null : isoTime(readySince),
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
  };
}

/** A task as something another one refers to. */
export function taskReference({ id, title, status }: Task) {
  return { task: id, id, title, status };
}

export function taskStyle(status: TaskStatus): Style {
  switch (status) {
    case 'done':
      return 'green';
    case 'failed':
    case 'blocked':
      return 'red';
    case 'paused':
      return 'yellow';
    case 'running':
      return 'cyan';
    case 'pending':
      return 'bold';
    case 'draft':
    case 'cancelled':
      return 'dim';
  }
}

/** One character per status, never shown without a word or a legend. */
export const taskMarks: Readonly<Record<TaskStatus, string>> = {
  draft: '·',
  pending: '○',
  blocked: '!',
  running: '▶',
  paused: '‖',
  done: '✓',
  failed: '✗',
  cancelled: '–',
};

/** Why a task is not being worked on, in a few words; null when nothing holds it up. */
export function whyWaiting(task: Task): string | null {
  if (task.status === 'blocked' || task.status === 'failed' || task.status === 'paused')
    return task.reason;
  if (task.status !== 'pending') return null;
  if (task.held > 0) return 'held by a task above it';
  if (task.blockers > 0) return `waits for ${plural(task.blockers, 'task')}`;
  return task.openChildren > 0 ? plural(task.openChildren, 'open subtask') : null;
}

import type { Command } from '../command.ts';
import { option } from '../input.ts';
import { settleTasks, tasksArgument } from './task-settle.ts';

export const taskFail: Command = {
  path: ['task', 'fail'],
  summary: 'Give up on a task that was begun.',
  details:
    'Tasks above it become blocked, what comes after it keeps waiting; `task reset` opens it again.',
  args: [tasksArgument],
  options: [{ name: 'reason', value: 'TEXT', summary: 'Why.' }],
  examples: [
    {
      line: 'loopwright task fail t-1a2b3c4d --reason "the API is gone"',
      does: 'Marks it as failed, with the reason.',
    },
  ],
  run: (input, context) =>
    settleTasks(input, context, {
      to: 'failed',
      reason: option(input, 'reason') ?? 'given up by hand',
      summary: null,
    }),
};

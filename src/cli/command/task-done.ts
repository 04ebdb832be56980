import type { Command } from '../command.ts';
import { option } from '../input.ts';
import { settleTasks, tasksArgument } from './task-settle.ts';

export const taskDone: Command = {
  path: ['task', 'done'],
  summary: 'Say that a task is done, without a loop.',
  details:
    'For work done by hand. Tasks that waited for it become ready; a parent is done with its last part.',
  args: [tasksArgument],
  options: [{ name: 'summary', value: 'TEXT', summary: 'What was done; later tasks are told.' }],
  examples: [
    { line: 'loopwright task done t-1a2b3c4d', does: 'Ticks it off.' },
    {
      line: 'loopwright task done api --summary "POST /lists exists"',
      does: 'Ticks it off and tells those that come after it.',
    },
  ],
  run: (input, context) =>
    settleTasks(input, context, { to: 'done', reason: null, summary: option(input, 'summary') }),
};

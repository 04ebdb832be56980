import type { Command } from '../command.ts';
import { settleTasks, tasksArgument } from './task-settle.ts';

export const taskReset: Command = {
  path: ['task', 'reset'],
  summary: 'Open a task again, for another loop.',
  details:
    'For failed, blocked, paused, cancelled and done tasks. Earlier loops and their branches stay.',
  args: [tasksArgument],
  examples: [
    { line: 'loopwright task reset t-1a2b3c4d', does: 'Gives it another chance.' },
    {
      line: 'loopwright task reset t-1a2b3c4d && loopwright run t-1a2b3c4d --new',
      does: 'Starts a new loop at once.',
    },
  ],
  run: (input, context) =>
    settleTasks(input, context, { to: 'pending', reason: null, summary: null }),
};

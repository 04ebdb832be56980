import { askLoops } from '../ask-loop.ts';
import type { Command } from '../command.ts';
import { loopArgument } from '../resolve-loop.ts';

export const loopCancel: Command = {
  path: ['loop', 'cancel'],
  summary: 'Stop a loop and cancel its task.',
  details:
    'A running iteration is cut short. Branch and files stay until `loopwright loop delete`.',
  args: [loopArgument],
  examples: [
    { line: 'loopwright loop cancel last', does: 'Gives up the newest loop and its task.' },
  ],
  run: (input, context) => askLoops(input, context, 'cancel', 'cut'),
};

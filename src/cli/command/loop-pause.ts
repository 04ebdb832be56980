import { allOption, askLoops } from '../ask-loop.ts';
import type { Command } from '../command.ts';
import { optionalLoopArgument } from '../resolve-loop.ts';

/** Which loop must be said: nothing is paused by accident. */
const loop = {
  ...optionalLoopArgument,
  summary:
    'A loop, a task, `last`, or a selector: `status:running`, `type:NAME`, `children:TASK`, `descendants:TASK`.',
};

export const loopPause: Command = {
  path: ['loop', 'pause'],
  summary: 'Pause a loop after its iteration.',
  details: 'The work stays; `loopwright loop resume` goes on with the next iteration.',
  args: [loop],
  options: [allOption],
  examples: [
    { line: 'loopwright loop pause last', does: 'Pauses the newest loop when its iteration ends.' },
    { line: 'loopwright pause --all', does: 'Pauses everything.' },
  ],
  run: (input, context) => askLoops(input, context, 'pause', 'finish'),
};

export const pause: Command = { ...loopPause, path: ['pause'], summary: 'Short for `loop pause`.' };

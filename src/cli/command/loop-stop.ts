import { allOption, askLoops } from '../ask-loop.ts';
import type { Command } from '../command.ts';
import { isGiven } from '../input.ts';
import { optionalLoopArgument } from '../resolve-loop.ts';

/** Which loop must be said: nothing is stopped by accident. */
const loop = {
  ...optionalLoopArgument,
  summary:
    'A loop, a task, `last`, or a selector: `status:running`, `type:NAME`, `children:TASK`, `descendants:TASK`.',
};

export const loopStop: Command = {
  path: ['loop', 'stop'],
  summary: 'Stop a loop after its iteration, or now.',
  details: 'Branch, worktree and everything recorded stay; the task is paused.',
  args: [loop],
  options: [{ name: 'now', summary: 'Cut the iteration short; its files are kept.' }, allOption],
  examples: [
    { line: 'loopwright loop stop loop-1a2b', does: 'Stops the loop when its iteration ends.' },
    { line: 'loopwright stop --all --now', does: 'Stops everything at once.' },
  ],
  run: (input, context) =>
    askLoops(input, context, 'stop', isGiven(input, 'now') ? 'cut' : 'finish'),
};

export const stop: Command = { ...loopStop, path: ['stop'], summary: 'Short for `loop stop`.' };

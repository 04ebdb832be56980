import { guideLoop } from '../../engine/guide-loop.ts';
import type { Command } from '../command.ts';
import { exitCodes } from '../exit-code.ts';
import { requiredArgument, wantsJson } from '../input.ts';
import { loopArgument, resolveLoop } from '../resolve-loop.ts';

export const guide: Command = {
  path: ['guide'],
  summary: 'Add guidance to every later prompt of a loop’s task.',
  details:
    'The iteration under way is not disturbed; the next prompt has it, with its date. `-` reads standard input. ' +
    'When the checks pass after it, a short one is kept as a candidate learning for other tasks: see `loopwright memory list`.',
  args: [
    loopArgument,
    { name: 'TEXT', summary: 'What the agent should mind, or `-`.', required: true },
  ],
  examples: [
    {
      line: 'loopwright guide last "keep the public API as it is"',
      does: 'Tells the newest loop, from its next iteration on.',
    },
  ],

  async run(input, context) {
    await using opened = await context.open();
    const { engine } = opened;
    const loop = await resolveLoop(engine, requiredArgument(input, 'LOOP'));
    const given = requiredArgument(input, 'TEXT');
    await guideLoop(engine, loop, given === '-' ? await context.readStdin() : given);
    if (wantsJson(input)) {
      const result = { loop: loop.id, task: loop.taskId, exitCode: exitCodes.ok };
      context.out.write(`${JSON.stringify(result)}\n`);
    } else context.out.write(`${loop.id} gets it with its next prompt\n`);
    return exitCodes.ok;
  },
};

import { isSelector } from '../../core/coordinate/selector.ts';
import { guideLoop } from '../../engine/guide-loop.ts';
import type { Command } from '../command.ts';
import { exitCodes } from '../exit-code.ts';
import { requiredArgument, wantsJson } from '../input.ts';
import { loopsArgument, resolveLoops } from '../resolve-loop.ts';

export const guide: Command = {
  path: ['guide'],
  summary: 'Add guidance to every later prompt of a loop’s task.',
  details:
    'The iteration under way is not disturbed; the next prompt has it, with its date. `-` reads standard input. ' +
    'When the checks pass after it, a short one is kept as a candidate learning for other tasks: see `loopwright memory list`.',
  args: [
    loopsArgument,
    { name: 'TEXT', summary: 'What the agent should mind, or `-`.', required: true },
  ],
  examples: [
    {
      line: 'loopwright guide last "keep the public API as it is"',
      does: 'Tells the newest loop, from its next iteration on.',
    },
    {
      line: 'loopwright guide all "the mail server is down today"',
      does: 'Tells every open loop.',
    },
  ],

  async run(input, context) {
    await using opened = await context.open();
    const { engine } = opened;
    const reference = requiredArgument(input, 'LOOP');
    const loops = await resolveLoops(engine, reference);
    const given = requiredArgument(input, 'TEXT');
    const text = given === '-' ? await context.readStdin() : given;
    for (const loop of loops) await guideLoop(engine, loop, text);
    if (wantsJson(input)) {
      const results = loops.map(({ id, taskId }) => ({ loop: id, task: taskId }));
      const shown = isSelector(reference) ? { loops: results } : results[0];
      context.out.write(`${JSON.stringify({ ...shown, exitCode: exitCodes.ok })}\n`);
    } else if (loops.length === 0) context.out.write('no such loop is open\n');
    else context.out.write(loops.map(({ id }) => `${id} gets it with its next prompt\n`).join(''));
    return exitCodes.ok;
  },
};

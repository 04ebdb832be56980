import { isSelector } from '../../core/coordinate/selector.ts';
import { findAllGuided, guideLoop, type Guided } from '../../engine/guide-loop.ts';
import type { Command } from '../command.ts';
import { exitCodes } from '../exit-code.ts';
import { requiredArgument, wantsJson } from '../input.ts';
import { loopsArgument } from '../resolve-loop.ts';

export const guide: Command = {
  path: ['guide'],
  summary: 'Add guidance to every later prompt of a task.',
  details:
    'The iteration under way is not disturbed; the next prompt has it, with its date. A task that has no loop yet gets it with its first prompt, also as one of `children:TASK` or `descendants:TASK`. `-` reads standard input. ' +
    'When the checks pass after it, a short one is kept as a candidate learning for other tasks: see `loopwright memory list`.',
  args: [
    {
      ...loopsArgument,
      summary:
        'A loop, a task, or `last`. Or a selector: `all`, `status:blocked`, `type:NAME`, `children:TASK`, `descendants:TASK`.',
    },
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
    const meant = await findAllGuided(engine, reference.trim());
    const given = requiredArgument(input, 'TEXT');
    const text = given === '-' ? await context.readStdin() : given;
    for (const each of meant) await guideLoop(engine, each, text);
    if (wantsJson(input)) {
      const results = meant.map(({ id, taskId }) => ({ loop: id, task: taskId }));
      const shown = isSelector(reference) ? { loops: results } : results[0];
      context.out.write(`${JSON.stringify({ ...shown, exitCode: exitCodes.ok })}\n`);
    } else context.out.write(meant.map(describe).join(''));
    return exitCodes.ok;
  },
};

function describe({ id, taskId }: Guided): string {
  return id === null
    ? `${taskId} gets it with its first prompt\n`
    : `${id} gets it with its next prompt\n`;
}

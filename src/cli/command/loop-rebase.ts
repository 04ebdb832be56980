import { isSelector } from '../../core/coordinate/selector.ts';
import { isResting } from '../../core/loop/status.ts';
import type { Loop } from '../../core/loop/loop.ts';
import { askRebase } from '../../engine/ask-rebase.ts';
import type { Command } from '../command.ts';
import { exitCodes } from '../exit-code.ts';
import { requiredArgument, wantsJson } from '../input.ts';
import { resumeLine } from '../render/next-commands.ts';
import { loopsArgument, resolveLoops } from '../resolve-loop.ts';

export const loopRebase: Command = {
  path: ['loop', 'rebase'],
  summary: 'Put the commits of a loop on the base as it is now.',
  details:
    'A running loop does it before its next iteration, without waiting for its next look at the base; a loop that rests does it when it is resumed. ' +
    'When the base has not moved, nothing changes. A conflict is aborted, and the loop is blocked with the files named.',
  args: [loopsArgument],
  examples: [
    {
      line: 'loopwright loop rebase last',
      does: 'Rebases the newest loop before its next iteration.',
    },
    { line: 'loopwright loop rebase status:running', does: 'Rebases every loop that runs.' },
  ],

  async run(input, context) {
    await using opened = await context.open({ startsNothing: true });
    const reference = requiredArgument(input, 'LOOP');
    const loops = await resolveLoops(opened.engine, reference);
    for (const loop of loops) await askRebase(opened.engine, loop);
    if (wantsJson(input)) {
      const results = loops.map(({ id, taskId, status }) => {
        return { loop: id, task: taskId, status, answer: 'asked' };
      });
      const shown = isSelector(reference) ? { loops: results } : results[0];
      context.out.write(`${JSON.stringify({ ...shown, exitCode: exitCodes.ok })}\n`);
    } else if (loops.length === 0) context.out.write('no such loop is open\n');
    else context.out.write(loops.map((loop) => `${describe(loop)}\n`).join(''));
    return exitCodes.ok;
  },
};

function describe(loop: Loop): string {
  const base = loop.workspace.baseRef ?? 'its base';
  return isResting(loop.status)
    ? `${loop.id} is rebased on ${base} when it continues: \`${resumeLine(loop)}\``
    : `${loop.id} is rebased on ${base} before its next iteration`;
}

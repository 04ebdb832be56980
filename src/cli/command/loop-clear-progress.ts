import { clearProgress } from '../../engine/clear-progress.ts';
import type { Command } from '../command.ts';
import { exitCodes } from '../exit-code.ts';
import { requiredArgument, wantsJson } from '../input.ts';
import { loopArgument, resolveLoop } from '../resolve-loop.ts';
import { withSession } from '../session.ts';

export const loopClearProgress: Command = {
  path: ['loop', 'clear-progress'],
  summary: 'Forget what earlier iterations of a loop did, for its next prompt.',
  details:
    'Files, commits, the record of the loop and its memory stay; only the block of progress in the prompt begins anew. ' +
    'A running loop does it before its next iteration.',
  args: [loopArgument],
  examples: [
    {
      line: 'loopwright loop clear-progress last',
      does: 'Lets the newest loop start over without the record of what failed.',
    },
  ],

  async run(input, context) {
    await using opened = await context.open({ startsNothing: true });
    const { engine } = opened;
    const loop = await resolveLoop(engine, requiredArgument(input, 'LOOP'));
    const answer = await withSession(engine, (session) => clearProgress(engine, session, loop));
    if (wantsJson(input)) {
      const { id, taskId, status, reason } = loop;
      const result = { loop: id, task: taskId, status, reason, answer, exitCode: exitCodes.ok };
      context.out.write(`${JSON.stringify(result)}\n`);
      return exitCodes.ok;
    }
    const told =
      answer === 'done'
        ? 'progress is cleared: its next prompt tells nothing of earlier iterations'
        : 'progress is cleared before its next iteration';
    context.out.write(`${loop.id}: ${told}\n`);
    return exitCodes.ok;
  },
};

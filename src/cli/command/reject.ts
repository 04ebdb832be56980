import { rejectLoop } from '../../engine/answer-approval.ts';
import { answerApproval, byOption } from '../answer-approval.ts';
import type { Command } from '../command.ts';
import { option, usageError } from '../input.ts';
import { loopsArgument } from '../resolve-loop.ts';

export const reject: Command = {
  path: ['reject'],
  summary: 'Send the work of a loop that waits for an approval back.',
  details:
    'The reason goes into the prompt of the next iteration. The loop is paused; `loopwright run` or `loop resume` goes on ' +
    'with it. A gate with `on-failure: stop` or `escalate` fails or blocks it instead.',
  args: [loopsArgument],
  options: [
    { name: 'reason', value: 'TEXT', summary: 'What is wrong, for the next iteration.' },
    byOption,
  ],
  examples: [
    {
      line: 'loopwright reject last --reason "keep the old flag as an alias"',
      does: 'Sends the newest loop back with a reason.',
    },
  ],
  run(input, context) {
    const reason = option(input, 'reason')?.trim() ?? '';
    if (reason === '') {
      throw usageError('say why: the next iteration needs it', 'add --reason "what is wrong"');
    }
    return answerApproval(input, context, reason, rejectLoop);
  },
};

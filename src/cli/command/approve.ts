import { approveLoop } from '../../engine/answer-approval.ts';
import { answerApproval, byOption } from '../answer-approval.ts';
import type { Command } from '../command.ts';
import { option } from '../input.ts';
import { loopsArgument } from '../resolve-loop.ts';

export const approve: Command = {
  path: ['approve'],
  summary: 'Say yes to a loop that waits for an approval, or to what integrity found in it.',
  details:
    'With enough approvals a loop whose checks pass is complete, and merged if that was asked for. No agent runs. ' +
    'Gates that are looked at by hand are looked at now. Of a loop whose last verification failed the check `integrity`, ' +
    'exactly what was found is accepted: removed or skipped tests, say, that were meant to go.',
  args: [loopsArgument],
  options: [byOption, { name: 'note', value: 'TEXT', summary: 'Kept with the approval.' }],
  examples: [
    { line: 'loopwright approve last', does: 'Approves the newest loop.' },
    { line: 'loopwright approve loop-1a2b --by ada', does: 'Approves it in the name of ada.' },
    { line: 'loopwright approve all', does: 'Approves every loop that waits for it.' },
  ],
  run: (input, context) => answerApproval(input, context, option(input, 'note') ?? '', approveLoop),
};

import { approveLoop } from '../../engine/answer-approval.ts';
import { answerApproval, byOption } from '../answer-approval.ts';
import type { Command } from '../command.ts';
import { option } from '../input.ts';
import { loopsArgument } from '../resolve-loop.ts';

export const approve: Command = {
  path: ['approve'],
  summary:
    'Say yes to a loop: to its approval gate, to what it changed of its judge, or to it as unproven.',
  details:
    'With enough approvals a loop whose checks pass is complete, and merged if that was asked for. No agent runs. ' +
    'Gates that are looked at by hand are looked at now. Of a loop whose last verification failed the check `integrity`, ' +
    'exactly what was found is accepted: removed or skipped tests, say, that were meant to go. Of a loop that is blocked ' +
    'because it changed what judges it, the changes are shown and accepted; while they are the same, they pass. A loop that ' +
    'is complete and unproven is taken as it is, and merged.',
  args: [loopsArgument],
  options: [byOption, { name: 'note', value: 'TEXT', summary: 'Kept with the approval.' }],
  examples: [
    { line: 'loopwright approve last', does: 'Approves the newest loop.' },
    { line: 'loopwright approve loop-1a2b --by ada', does: 'Approves it in the name of ada.' },
    { line: 'loopwright approve all', does: 'Approves every loop that waits for it.' },
  ],
  run: (input, context) => answerApproval(input, context, option(input, 'note') ?? '', approveLoop),
};

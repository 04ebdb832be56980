import { receiptOf } from '../../protocol/receipt.ts';
import type { Command } from '../command.ts';
import { exitCodes } from '../exit-code.ts';
import { argument, wantsJson } from '../input.ts';
import { createPaint } from '../render/paint.ts';
import { renderReceipt } from '../render/receipt.ts';
import { optionalLoopArgument, resolveFolded } from '../resolve-loop.ts';

export const receiptShow: Command = {
  path: ['receipt', 'show'],
  summary: 'Show what was executed for a loop: commands, exit codes, hashes, commits.',
  details:
    'Every check with its command, exit code, the hash of its whole output, the commit and the environment it ran in, and ' +
    'whether the log it is recorded in is as it was written. It is made from that log, never from the stored state of the loop; ' +
    'the exit code is 1 when the log was changed, or the state says something else.',
  args: [optionalLoopArgument],
  examples: [
    { line: 'loopwright receipt show last', does: 'Shows the receipt of the newest loop.' },
  ],

  async run(input, context) {
    await using opened = await context.open({ onlyReads: true });
    const { engine } = opened;
    const folded = await resolveFolded(engine, argument(input, 'LOOP'));
    const receipt = receiptOf(folded.loop, folded);
    context.out.write(
      wantsJson(input)
        ? `${JSON.stringify(receipt)}\n`
        : renderReceipt(receipt, createPaint(context.out.hasColour)),
    );
    const isWhole = folded.brokenAt === null && folded.differs.length === 0;
    return isWhole ? exitCodes.ok : exitCodes.failed;
  },
};

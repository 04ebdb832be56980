import { exitCodeOfLoop } from '../../core/loop/finishing.ts';
import type { Loop } from '../../core/loop/loop.ts';
import { logChanged } from '../../engine/folded-loop.ts';
import { verifyReceipt, type ReceiptVerdict } from '../../engine/verify-receipt.ts';
import type { Command } from '../command.ts';
import { exitCodes } from '../exit-code.ts';
import { argument, wantsJson } from '../input.ts';
import { createPaint } from '../render/paint.ts';
import { renderVerdict } from '../render/receipt.ts';
import { optionalLoopArgument, resolveFolded } from '../resolve-loop.ts';

/** What `run` would exit with, so that nothing but a complete loop is a success. */
function exitCodeOfVerdict(loop: Loop, { holds, status }: ReceiptVerdict): number {
  if (holds) return exitCodes.ok;
  return status === 'complete' ? exitCodes.failed : (exitCodeOfLoop(loop) ?? exitCodes.refused);
}

export const receiptVerify: Command = {
  path: ['receipt', 'verify'],
  summary: 'Execute the checks of a loop again at their commit and say what still holds.',
  details:
    'In a worktree of its own that is removed afterwards; where the base was red it is executed too. Exit code 0: ' +
    'the loop is complete and everything holds. 1: something does not. For a loop that is not complete it is that of its status: ' +
    '1 failed, 2 blocked, 4 stopped, 5 budget, 130 interrupted, 3 while it runs. 3 also: it cannot be repeated. Nothing is recorded.',
  args: [optionalLoopArgument],
  examples: [
    { line: 'loopwright receipt verify last', does: 'Repeats the checks of the newest loop.' },
  ],

  async run(input, context) {
    const cut = new AbortController();
    using _signals = context.onSignal(() => cut.abort());
    await using opened = await context.open();
    const { engine } = opened;
    const folded = await resolveFolded(engine, argument(input, 'LOOP'));
    const { loop, brokenAt } = folded;
    if (brokenAt !== null) {
      // Nothing that such a log says is worth a repetition.
      const { message } = logChanged(loop.id, brokenAt);
      const result = { loop: loop.id, brokenAt, holds: false, exitCode: exitCodes.failed };
      context.out.write(wantsJson(input) ? `${JSON.stringify(result)}\n` : `${message}\n`);
      return exitCodes.failed;
    }
    if (!wantsJson(input)) context.err.write(`repeating the checks of ${loop.id}\n`);
    const verdict = await verifyReceipt(engine, folded, cut.signal);
    if (verdict === null) return exitCodes.interrupted;
    const exitCode = exitCodeOfVerdict(loop, verdict);
    context.out.write(
      wantsJson(input)
        ? `${JSON.stringify({ loop: loop.id, ...verdict, exitCode })}\n`
        : renderVerdict(loop.id, verdict, createPaint(context.out.hasColour)),
    );
    return exitCode;
  },
};

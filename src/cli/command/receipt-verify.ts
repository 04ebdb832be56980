import { verifyReceipt } from '../../engine/verify-receipt.ts';
import type { Command } from '../command.ts';
import { exitCodes } from '../exit-code.ts';
import { argument, wantsJson } from '../input.ts';
import { createPaint } from '../render/paint.ts';
import { renderVerdict } from '../render/receipt.ts';
import { optionalLoopArgument, resolveLoop } from '../resolve-loop.ts';

export const receiptVerify: Command = {
  path: ['receipt', 'verify'],
  summary: 'Execute the checks of a loop again at their commit and say what still holds.',
  details:
    'In a worktree of its own that is removed afterwards; where the base was red it is executed too. Exit code 0: ' +
    'everything holds. 1: something does not. 3: it cannot be repeated. Nothing is recorded.',
  args: [optionalLoopArgument],
  examples: [
    { line: 'loopwright receipt verify last', does: 'Repeats the checks of the newest loop.' },
  ],

  async run(input, context) {
    const cut = new AbortController();
    using _signals = context.onSignal(() => cut.abort());
    await using opened = await context.open();
    const { engine } = opened;
    const loop = await resolveLoop(engine, argument(input, 'LOOP'));
    if (!wantsJson(input)) context.err.write(`repeating the checks of ${loop.id}\n`);
    const verdict = await verifyReceipt(engine, loop, cut.signal);
    if (verdict === null) return exitCodes.interrupted;
    const exitCode = verdict.holds ? exitCodes.ok : exitCodes.failed;
    context.out.write(
      wantsJson(input)
        ? `${JSON.stringify({ loop: loop.id, ...verdict, exitCode })}\n`
        : renderVerdict(loop.id, verdict, createPaint(context.out.hasColour)),
    );
    return exitCode;
  },
};

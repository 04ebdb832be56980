import type { Loop } from '../../core/loop/loop.ts';
import { loopDetail } from '../../protocol/loop-detail.ts';
import type { Command } from '../command.ts';
import type { CliContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { argument, wantsJson } from '../input.ts';
import { loopFiles, type LoopFiles } from '../../engine/loop-files.ts';
import { renderIterations } from '../render/iteration-table.ts';
import { createPaint } from '../render/paint.ts';
import { renderSummary } from '../render/summary.ts';
import { renderTotals } from '../render/totals.ts';
import { optionalLoopArgument, resolveRecorded } from '../resolve-loop.ts';

export const loopShow: Command = {
  path: ['loop', 'show'],
  summary: 'Show one loop with its iterations.',
  args: [optionalLoopArgument],
  examples: [
    { line: 'loopwright loop show', does: 'Shows the newest loop.' },
    { line: 'loopwright loop show loop-1a2b --json', does: 'Prints everything about it as JSON.' },
  ],

  async run(input, context) {
    await using opened = await context.open({ onlyReads: true });
    const loop = await resolveRecorded(opened.engine, argument(input, 'LOOP'), context);
    const files = await loopFiles(opened.project, loop);
    if (wantsJson(input)) {
      context.out.write(`${JSON.stringify(loopDetail(loop, files.changed))}\n`);
      return exitCodes.ok;
    }
    context.out.write(renderLoop(loop, files, context));
    return exitCodes.ok;
  },
};

function renderLoop(loop: Loop, files: LoopFiles, { out }: CliContext): string {
  const paint = createPaint(out.hasColour);
  const { facts, next } = renderSummary(loop, files, paint, ` show ${loop.id}`);
  const table = loop.iterations.length === 0 ? [] : [renderIterations(loop, out.columns, paint)];
  return [facts, ...table, renderTotals(loop), next].join('\n');
}

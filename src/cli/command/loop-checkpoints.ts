import { isoTime } from '../../protocol/value.ts';
import { loopCheckpoints as listCheckpoints } from '../checkpoints.ts';
import type { Command } from '../command.ts';
import { exitCodes } from '../exit-code.ts';
import { argument, wantsJson } from '../input.ts';
import { formatTime } from '../render/format.ts';
import { createPaint } from '../render/paint.ts';
import { oneLine } from '../render/story-line.ts';
import { renderTable } from '../render/table.ts';
import { optionalLoopArgument, resolveLoop } from '../resolve-loop.ts';

export const loopCheckpoints: Command = {
  path: ['loop', 'checkpoints'],
  summary: 'List the commits of a loop, one per iteration.',
  details: 'An iteration that changed nothing has no commit.',
  args: [optionalLoopArgument],
  examples: [{ line: 'loopwright loop checkpoints last', does: 'Lists what can be restored.' }],

  async run(input, context) {
    await using opened = await context.open({ onlyReads: true });
    const loop = await resolveLoop(opened.engine, argument(input, 'LOOP'));
    const checkpoints = await listCheckpoints(opened.project, loop);
    const { out } = context;
    if (wantsJson(input)) {
      const list = checkpoints.map(({ commit, iteration, subject, timeMs }) => {
        return { commit, iteration, subject, time: isoTime(timeMs) };
      });
      out.write(
        `${JSON.stringify({ loop: loop.id, base: loop.workspace.base, checkpoints: list })}\n`,
      );
      return exitCodes.ok;
    }
    if (checkpoints.length === 0) {
      out.write(`${loop.id} has no commits\n`);
      return exitCodes.ok;
    }
    const rows = checkpoints.map(({ commit, iteration, subject, timeMs }) => [
      iteration === null ? '' : String(iteration),
      commit.slice(0, 12),
      formatTime(timeMs),
      oneLine(subject),
    ]);
    const columns = [
      { heading: 'IT', align: 'right' as const },
      { heading: 'COMMIT' },
      { heading: 'TIME (UTC)' },
      { heading: 'SUBJECT', flexible: true },
    ];
    out.write(renderTable(columns, rows, out.columns, createPaint(out.hasColour)));
    context.err.write(`restore one with \`loopwright loop restore ${loop.id} IT\`\n`);
    return exitCodes.ok;
  },
};

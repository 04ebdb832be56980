import { loopStatuses, type LoopStatus } from '../../core/loop/status.ts';
import { loopLine } from '../../protocol/loop-line.ts';
import type { LoopRow } from '../../ports/store.ts';
import type { Command } from '../command.ts';
import type { CliContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { numberOption, option, wantsJson } from '../input.ts';
import { formatAge, formatCost } from '../render/format.ts';
import { createPaint } from '../render/paint.ts';
import { statusStyle, statusText } from '../render/status-word.ts';
import { oneLine } from '../render/story-line.ts';
import { renderTable, type Cell } from '../render/table.ts';

const shownByDefault = 20;

export const loopList: Command = {
  path: ['loop', 'list'],
  summary: 'List loops, newest first.',
  options: [
    {
      name: 'status',
      value: 'STATUS',
      choices: loopStatuses,
      summary: 'Only loops in this status.',
    },
    { name: 'task', value: 'TASK', summary: 'Only loops of this task.', completes: 'tasks' },
    {
      name: 'limit',
      value: 'N',
      summary: `At most N loops; 0 = all, ${shownByDefault} if left out.`,
    },
  ],
  examples: [
    { line: 'loopwright loop list', does: 'Shows the newest loops.' },
    { line: 'loopwright loop list --status blocked', does: 'Shows the loops that need you.' },
  ],

  async run(input, context) {
    await using opened = await context.open({ onlyReads: true });
    const status = loopStatuses.find((each) => each === option(input, 'status')) ?? null;
    const limit = numberOption(input, 'limit') ?? shownByDefault;
    const reference = option(input, 'task');
    const rows = await opened.engine.store.read(async (tx) => {
      const task = reference === null ? null : (await tx.tasks.resolve(reference)).id;
      return tx.loops.list(filterOf(status, task, limit));
    });
    if (wantsJson(input)) {
      context.out.write(`${JSON.stringify({ loops: rows.map(loopLine) })}\n`);
      return exitCodes.ok;
    }
    context.out.write(renderLoops(rows, context));
    return exitCodes.ok;
  },
};

function filterOf(status: LoopStatus | null, taskId: string | null, limit: number) {
  return {
    ...(status === null ? {} : { statuses: [status] }),
    ...(taskId === null ? {} : { taskId }),
    ...(limit === 0 ? {} : { limit }),
  };
}

function renderLoops(rows: readonly LoopRow[], { out, clock }: CliContext): string {
  if (rows.length === 0) return 'no loops; start one with `loopwright run`\n';
  const cells = rows.map((row): readonly Cell[] => [
    row.id,
    { text: statusText(row.status, row.reason), style: statusStyle(row.status) },
    String(row.iterations),
    row.costUsd === null ? '' : formatCost(row.costUsd),
    formatAge(clock.now() - row.updatedAt),
    row.taskId,
    oneLine(row.title),
  ]);
  const columns = [
    { heading: 'LOOP' },
    { heading: 'STATUS' },
    { heading: 'IT', align: 'right' as const },
    { heading: 'COST', align: 'right' as const },
    { heading: 'UPDATED' },
    { heading: 'TASK' },
    { heading: 'TITLE', flexible: true },
  ];
  return renderTable(columns, cells, out.columns, createPaint(out.hasColour));
}

import { learningStatuses, type Learning } from '../../core/memory/learning.ts';
import type { Engine } from '../../engine/engine.ts';
import { learningLine } from '../../protocol/learning.ts';
import type { Command } from '../command.ts';
import type { CliContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { numberOption, option, wantsJson } from '../input.ts';
import { formatAge } from '../render/format.ts';
import { createPaint } from '../render/paint.ts';
import { oneLine } from '../render/story-line.ts';
import { renderTable, type Cell } from '../render/table.ts';
import { cutToWidth } from '../render/width.ts';
import { resolveLoop } from '../resolve-loop.ts';
import { statusStyleOf } from './memory-view.ts';

const shownByDefault = 50;

export const memoryList: Command = {
  path: ['memory', 'list'],
  summary: 'List what was learned, newest first.',
  details:
    'Candidates were written by an agent and not confirmed yet; one helpful vote of executed checks, or you with `memory edit --status active`, makes them active. Demoted and pruned ones are never shown to an agent.',
  options: [
    {
      name: 'status',
      value: 'STATUS',
      choices: learningStatuses,
      summary: 'Only learnings in this status; all but pruned ones when left out.',
    },
    { name: 'category', value: 'NAME', summary: 'Only learnings of this category.' },
    { name: 'loop', value: 'LOOP', summary: 'Only what this loop taught.', completes: 'loops' },
    {
      name: 'limit',
      value: 'N',
      summary: `At most N learnings; 0 = all, ${shownByDefault} if left out.`,
    },
  ],
  examples: [
    { line: 'loopwright memory list', does: 'Shows what is remembered.' },
    { line: 'loopwright memory list --loop last', does: 'Shows what the last loop taught.' },
  ],

  async run(input, context) {
    await using opened = await context.open({ onlyReads: true });
    const status = learningStatuses.find((each) => each === option(input, 'status'));
    const limit = numberOption(input, 'limit') ?? shownByDefault;
    const category = option(input, 'category');
    const reference = option(input, 'loop');
    const loop = reference === null ? null : await resolveLoop(opened.engine, reference);
    const learnings = await opened.engine.store.read((tx) =>
      tx.learnings.list({
        statuses: status === undefined ? ['active', 'candidate', 'demoted'] : [status],
        ...(category === null ? {} : { category }),
        ...(loop === null ? {} : { loopId: loop.id }),
        ...(limit === 0 ? {} : { limit }),
      }),
    );
    if (wantsJson(input)) {
      context.out.write(`${JSON.stringify({ learnings: learnings.map(learningLine) })}\n`);
      return exitCodes.ok;
    }
    const isFiltered = status !== undefined || category !== null || loop !== null;
    if (learnings.length === 0) context.out.write(await describeNone(opened.engine, isFiltered));
    else context.out.write(render(learnings, context));
    return exitCodes.ok;
  },
};

async function describeNone({ store }: Pick<Engine, 'store'>, isFiltered: boolean) {
  const counts = await store.read((tx) => tx.learnings.countByStatus());
  const known = Object.entries(counts).filter(([, count]) => count > 0);
  if (known.length === 0) return 'nothing is remembered yet\n';
  const there = known.map(([status, count]) => `${count} ${status}`).join(', ');
  return `no learning ${isFiltered ? 'fits' : 'is in use'}; there are ${there}\n`;
}

/** A terminal's width is shared; what is read by a program or a pager is whole. */
const maxCategory = 20;

function render(learnings: readonly Learning[], { out, clock }: CliContext): string {
  const width = out.isTerminal ? out.columns : Infinity;
  const cells = learnings.map((learning): readonly Cell[] => [
    learning.id,
    { text: learning.status, style: statusStyleOf(learning) },
    `+${learning.helpful} -${learning.harmful}`,
    formatAge(clock.now() - learning.createdAt),
    cutToWidth(oneLine(learning.category), out.isTerminal ? maxCategory : Infinity),
    oneLine(learning.content, learning.content.length),
  ]);
  const columns = [
    { heading: 'LEARNING' },
    { heading: 'STATUS' },
    { heading: 'VOTES' },
    { heading: 'LEARNED' },
    { heading: 'CATEGORY' },
    { heading: 'TEXT', flexible: true },
  ];
  return renderTable(columns, cells, width, createPaint(out.hasColour));
}

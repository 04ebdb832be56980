import type { Learning } from '../../core/memory/learning.ts';
import { plainText } from '../../core/text/terminal.ts';
import type { InjectedItem } from '../../ports/memory.ts';
import { learningLine } from '../../protocol/learning.ts';
import type { Command } from '../command.ts';
import type { CliContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { requiredArgument, wantsJson } from '../input.ts';
import { formatTime, plural } from '../render/format.ts';
import { createPaint } from '../render/paint.ts';
import { wrap } from '../render/wrap.ts';
import { learningArgument, statusStyleOf } from './memory-view.ts';

export const memoryShow: Command = {
  path: ['memory', 'show'],
  summary: 'Show one learning: where it comes from and how it did.',
  args: [learningArgument],
  examples: [{ line: 'loopwright memory show l-1a2b3c', does: 'Shows its text, origin and uses.' }],

  async run(input, context) {
    await using opened = await context.open({ onlyReads: true });
    const reference = requiredArgument(input, 'LEARNING');
    const { learning, uses } = await opened.engine.store.read(async (tx) => {
      const found = await tx.learnings.resolve(reference);
      return { learning: found, uses: await tx.learnings.injected({ learningId: found.id }) };
    });
    if (wantsJson(input)) {
      context.out.write(`${JSON.stringify({ ...learningLine(learning), uses })}\n`);
      return exitCodes.ok;
    }
    context.out.write(render(learning, uses, context));
    return exitCodes.ok;
  },
};

const shownUses = 10;

function render(learning: Learning, uses: readonly InjectedItem[], { out }: CliContext): string {
  const paint = createPaint(out.hasColour);
  const width = Math.min(out.columns, 100);
  const from = [
    learning.origin,
    learning.taskId,
    learning.loopId === null ? null : `${learning.loopId} iteration ${learning.iteration ?? '?'}`,
  ].filter((part) => part !== null);
  const rows: readonly (readonly [string, string | null])[] = [
    ['category', learning.category],
    ['tags', learning.tags.join(', ') || null],
    ['files', learning.paths.join(', ') || null],
    ['from', from.join(', ')],
    ['learned', `${formatTime(learning.createdAt)} UTC`],
    ['last used', learning.lastUsedAt === null ? null : `${formatTime(learning.lastUsedAt)} UTC`],
    ['votes', `${learning.helpful} helpful, ${learning.harmful} harmful`],
    ['stale since', learning.staleAt === null ? null : `${formatTime(learning.staleAt)} UTC`],
    ['replaced by', learning.supersededBy],
  ];
  const fields = rows.flatMap(([label, value]) =>
    value === null ? [] : [`  ${paint('dim', label.padEnd(12))}${plainText(value)}`],
  );
  const status = `${learning.status}${learning.byHand ? ', by hand' : ''}`;
  const shown = uses.slice(-shownUses).map((use) => {
    const how = use.withheld ? 'withheld' : `shown as number ${use.position}`;
    const vote = use.vote === null ? 'not judged' : use.vote === 'none' ? 'no vote' : use.vote;
    return `  ${formatTime(use.injectedAt)}  ${use.loopId} iteration ${use.iteration}, ${how}, ${vote}`;
  });
  return [
    `${paint('bold', learning.id)}  ${paint(statusStyleOf(learning), status)}`,
    wrap(plainText(learning.content), width, '  ', '  '),
    '',
    ...fields,
    ...(uses.length === 0 ? [] : ['', plural(uses.length, 'use'), ...shown]),
    '',
  ].join('\n');
}

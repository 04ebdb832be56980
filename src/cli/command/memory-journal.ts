import type { JournalEntry } from '../../core/memory/attempt.ts';
import { isoTime } from '../../protocol/value.ts';
import type { Command } from '../command.ts';
import type { CliContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { numberOption, option, wantsJson } from '../input.ts';
import { formatAge, formatCost, formatDuration } from '../render/format.ts';
import { createPaint, type Style } from '../render/paint.ts';
import { oneLine } from '../render/story-line.ts';
import { cutToWidth } from '../render/width.ts';

const shownByDefault = 30;
const maxTextChars = 400;

export const memoryJournal: Command = {
  path: ['memory', 'journal'],
  summary: 'List how attempts at all tasks went, newest first.',
  details:
    'One entry for each attempt: when, how it ended, which task, and what was tried or done. `--search` keeps the entries that have every word in them, whatever the case.',
  options: [
    { name: 'search', value: 'TEXT', summary: 'Only attempts that have these words in them.' },
    {
      name: 'limit',
      value: 'N',
      summary: `At most N attempts; 0 = all, ${shownByDefault} if left out.`,
    },
  ],
  examples: [
    { line: 'loopwright memory journal', does: 'Shows how the last attempts went.' },
    {
      line: 'loopwright memory journal --search "sqlite lock"',
      does: 'Shows the attempts that had to do with locks of SQLite.',
    },
  ],

  async run(input, context) {
    await using opened = await context.open({ onlyReads: true });
    const search = option(input, 'search');
    const limit = numberOption(input, 'limit') ?? shownByDefault;
    const entries = await opened.engine.store.read((tx) =>
      tx.attempts.journal({
        ...(search === null ? {} : { search }),
        ...(limit === 0 ? {} : { limit }),
      }),
    );
    if (wantsJson(input)) {
      const attempts = entries.map(({ startedAt, number, ...entry }) => ({
        attempt: number,
        startedAt: isoTime(startedAt),
        ...entry,
      }));
      context.out.write(`${JSON.stringify({ attempts })}\n`);
      return exitCodes.ok;
    }
    context.out.write(entries.length === 0 ? describeNone(search) : render(entries, context));
    return exitCodes.ok;
  },
};

function describeNone(search: string | null): string {
  return search === null ? 'no attempts yet\n' : 'no attempt has these words in it\n';
}

const outcomeStyles: Readonly<Record<JournalEntry['outcome'], Style>> = {
  done: 'green',
  failed: 'red',
  no_sigil: 'yellow',
  error: 'red',
  timed_out: 'red',
  interrupted: 'dim',
};

/** Two to four lines for each attempt; a terminal's lines are cut, what is piped is whole. */
function render(entries: readonly JournalEntry[], { out, clock }: CliContext): string {
  const paint = createPaint(out.hasColour);
  const width = out.isTerminal ? out.columns : Infinity;
  const line = (text: string, style?: Style) => {
    const cut = cutToWidth(`  ${oneLine(text, maxTextChars)}`, width);
    return `${style === undefined ? cut : paint(style, cut)}\n`;
  };
  return entries
    .map((entry) => {
      const facts = [
        entry.taskId,
        `attempt ${entry.number}`,
        entry.model === 'default' ? null : oneLine(entry.model, 40),
        formatDuration(entry.durationMs),
        entry.costUsd === null ? null : formatCost(entry.costUsd),
        formatAge(clock.now() - entry.startedAt),
      ].filter((fact) => fact !== null);
      const outcome = entry.outcome.padEnd(11);
      const rest = cutToWidth(facts.join(' · '), width - outcome.length - 1);
      const head = `${paint(outcomeStyles[entry.outcome], outcome)} ${rest}\n`;
      const why = [entry.report?.errorCategory, entry.report?.whyFailed].filter((part) => part);
      const said = [
        entry.report?.whatTried ? line(`tried: ${entry.report.whatTried}`, 'dim') : '',
        why.length === 0 ? '' : line(`failed: ${why.join(': ')}`, 'dim'),
        entry.summary ? line(entry.summary, 'dim') : '',
      ];
      return `${head}${line(entry.title)}${said.join('')}`;
    })
    .join('');
}

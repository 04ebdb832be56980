import { isPartlyUnpriced, knownCost, type Loop } from '../../core/loop/loop.ts';
import { formatSpending, plural } from './format.ts';
import { nextCommands } from './next-commands.ts';
import type { Paint } from './paint.ts';
import { statusStyle, statusText } from './status-word.ts';
import { oneLine } from './story-line.ts';

const mostNamed = 20;

/** How many loops ended together: the counts, who needs a person, and what to type next. */
export function renderCrowdSummary(loops: readonly Loop[], paint: Paint): string {
  const counts = Map.groupBy(loops, ({ status }) => status);
  const ended = [...counts].map(([status, all]) =>
    paint(statusStyle(status), `${all.length} ${status}`),
  );
  const merged = loops.filter(({ mergedInto }) => mergedInto !== null).length;
  const costs = loops.map(knownCost).filter((cost) => cost !== null);
  const sum = costs.length === 0 ? null : costs.reduce((all, cost) => all + cost, 0);
  const facts = [
    plural(loops.length, 'loop'),
    ...ended,
    ...(merged === 0 ? [] : [`${merged} merged`]),
    formatSpending(sum, loops.some(isPartlyUnpriced)),
  ].filter((part) => part !== null);
  const open = loops.filter(({ status }) => status !== 'complete');
  const named = open.slice(0, mostNamed).flatMap((loop) => openLines(loop, paint));
  const more = open.length > mostNamed ? [`and ${open.length - mostNamed} more`] : [];
  const next = open.length === 0 ? 'loopwright loop list' : 'loopwright status';
  return `${[facts.join(' · '), ...named, ...more, `next: ${next}`].join('\n')}\n`;
}

function openLines(loop: Loop, paint: Paint): readonly string[] {
  const status = paint(statusStyle(loop.status), statusText(loop.status, loop.reason));
  const [next] = nextCommands(loop, true);
  return [
    `${paint('bold', loop.id)} ${oneLine(loop.title, 60)} is ${status}: ${oneLine(loop.text ?? '', 200)}`,
    ...(next === undefined ? [] : [`  ${next.line}  ${paint('dim', next.does)}`]),
  ];
}

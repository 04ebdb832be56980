import { isPartlyUnpriced, knownCost, type Loop } from '../../core/loop/loop.ts';
import { nextRunGoesOn } from '../../core/loop/may-have-passed.ts';
import { formatSpending, plural } from './format.ts';
import { nextCommands } from './next-commands.ts';
import type { Paint } from './paint.ts';
import { statusSaysAll, statusStyle, statusText } from './status-word.ts';
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
  const next = nextLine(open);
  return `${[facts.join(' · '), ...named, ...more, `next: ${next}`].join('\n')}\n`;
}

/** One command for all that the next run continues by itself; the others name their own. */
function nextLine(open: readonly Loop[]): string {
  if (open.length === 0) return 'loopwright loop list';
  return open.every(nextRunGoesOn)
    ? `loopwright run  continues ${open.length === 1 ? 'it' : 'them'}`
    : 'loopwright status';
}

function openLines(loop: Loop, paint: Paint): readonly string[] {
  const status = paint(statusStyle(loop.status), statusText(loop.status, loop.reason));
  const [next] = nextRunGoesOn(loop) ? [] : nextCommands(loop, true);
  const why = statusSaysAll(loop) ? '' : `: ${oneLine(loop.text ?? '', 200)}`;
  return [
    `${paint('bold', loop.id)} ${oneLine(loop.title, 60)} is ${status}${why}`,
    ...(next === undefined ? [] : [`  ${next.line}  ${paint('dim', next.does)}`]),
  ];
}

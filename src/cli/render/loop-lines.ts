import type { QueueSnapshot } from '../../core/schedule/queue-view.ts';
import { obstacleText } from '../../core/schedule/queue-view.ts';
import { formatDuration, plural } from './format.ts';
import type { Paint } from './paint.ts';
import { oneLine } from './story-line.ts';
import { cutToWidth, padToWidth, textWidth } from './width.ts';

/** One loop that is under way, as its line shows it. */
export type LoopLine = {
  readonly title: string;
  /** `iteration 2`. */
  readonly where: string;
  readonly doing: string;
  readonly time: string;
};

/** What the summary line tells; null parts are left out. */
export type CrowdTotals = {
  readonly queue: QueueSnapshot | null;
  readonly running: number;
  readonly merging: number;
  /** Loops that wait for a provider; the one that probed last stands in no line. */
  readonly down: number;
  readonly ended: Readonly<Record<string, number>>;
  readonly checks: { readonly passed: number; readonly failed: number };
  readonly cost: string | null;
};

const between = ' · ';

/** One compact line: title, iteration, what is done, time. The title takes a quarter, what is done gives way. */
export function renderLoopLine(
  { title, where, doing, time }: LoopLine,
  columns: number,
  paint: Paint,
): string {
  const name = Math.max(10, Math.min(32, Math.floor(columns / 4)));
  const start = `  ${padToWidth(cutToWidth(oneLine(title, 200), name), name)}  `;
  const end = `  ${time}`;
  const room = columns - textWidth(start) - textWidth(end);
  if (room < 8) return cutToWidth(start.trimEnd(), columns);
  const words = [where, oneLine(doing, 200)].filter((part) => part !== '').join(between);
  const middle = padToWidth(cutToWidth(words, room), room);
  return `${start}${paint('dim', middle + end)}`;
}

/** Slots, who waits and why, how many ended how, checks and cost; what does not fit is left out. */
export function renderCrowd(totals: CrowdTotals, columns: number): string {
  const { queue, running, merging, down, ended, checks, cost } = totals;
  const judged = checks.passed + checks.failed;
  const parts = [
    `${running} of ${plural(queue?.limits.loop ?? running, 'slot')} in use`,
    merging === 0 ? null : `${merging} merging`,
    waitingText(queue, down),
    ...Object.entries(ended).map(([status, count]) => `${count} ${status}`),
    cost,
    judged === 0 ? null : `checks ✓${checks.passed} ✗${checks.failed}`,
  ].filter((part) => part !== null);
  let text = '';
  for (const part of parts) {
    const longer = text === '' ? part : `${text}${between}${part}`;
    if (textWidth(longer) > columns) continue;
    text = longer;
  }
  return text === '' ? cutToWidth(parts[0] ?? '', columns) : text;
}

/** `5 wait: all 8 loop slots are in use`; the reason of most. Null when nobody waits. */
export function waitingText(queue: QueueSnapshot | null, down = 0): string | null {
  const places = queue?.places ?? [];
  if (places.length === 0) return null;
  const reasons = Map.groupBy(places, ({ obstacle }) => obstacleText(obstacle));
  const [most] = [...reasons].toSorted(([, a], [, b]) => b.length - a.length);
  const [text = '', waiting = []] = most ?? [];
  const soonest = Math.min(
    ...waiting.flatMap(({ obstacle }) => ('inMs' in obstacle ? [obstacle.inMs] : [])),
  );
  const isDown = waiting.some(({ obstacle }) => obstacle.kind === 'outage');
  const until = `${isDown ? ', next try in' : ' for'} ${formatDuration(soonest)}`;
  const left = Number.isFinite(soonest) ? until : '';
  const others = reasons.size > 1 ? ', and more' : '';
  const inLine = places.filter(({ obstacle }) => obstacle.kind === 'outage').length;
  const count = places.length - inLine + Math.max(inLine, down);
  return `${count} wait${count === 1 ? 's' : ''}: ${text}${left}${others}`;
}

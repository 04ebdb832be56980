import { cutToWidth, textWidth } from './width.ts';

/** What the live line tells; null parts are left out. */
export type StatusParts = {
  /** `iteration 2`. */
  readonly where: string;
  /** `editing src/x.ts`: gives way first, but never below a readable rest. */
  readonly doing: string;
  readonly time: string;
  readonly turns: string | null;
  readonly tokens: string | null;
  readonly cost: string | null;
};

/** What is done must stay readable before anything else does. */
const minDoing = 24;
const between = ' · ';

/** One line of at most so many columns: on a narrow terminal tokens go first, then turns, the time, the cost. */
export function renderStatus(parts: StatusParts, columns: number): string {
  const { where, doing, time, turns, tokens, cost } = parts;
  const totals = [time, turns, tokens, cost].filter((part) => part !== null);
  const wanted = Math.min(textWidth(doing), minDoing);
  for (const given of [tokens, turns, time, cost]) {
    if (columns - widthOf([where, ...totals]) - between.length >= wanted) break;
    const at = given === null ? -1 : totals.lastIndexOf(given);
    if (at !== -1) totals.splice(at, 1);
  }
  const room = columns - widthOf([where, ...totals]) - between.length;
  const shown = doing === '' ? [] : [cutToWidth(doing, Math.max(room, 0))];
  const text = [where, ...shown, ...totals].filter((part) => part !== '').join(between);
  return cutToWidth(text, columns);
}

function widthOf(parts: readonly string[]): number {
  return textWidth(parts.join(between));
}

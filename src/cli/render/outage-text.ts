import { providerName } from '../../core/agent/provider.ts';
import type { OutageState } from '../../core/outage/outage-view.ts';
import { formatClock, formatDuration, plural } from './format.ts';

/** `claude is down since 02:13 UTC, next try 03:23 UTC, 5 loops wait`; with seconds when it is a matter of less than an hour. */
export function outageText({ provider, since, nextTry, waiting }: OutageState): string {
  const isSoon = nextTry !== null && nextTry - since < hourMs;
  const at = (ms: number): string => `${formatClock(ms).slice(0, isSoon ? 8 : 5)} UTC`;
  const down = `${providerName(provider)} is down since ${at(since)}`;
  if (nextTry !== null && waiting === 0) return `${down}; the next loop that uses it tries it`;
  const next = nextTry === null ? 'being tried now' : `next try ${at(nextTry)}`;
  return `${down}, ${next}, ${plural(waiting, 'loop')} ${waiting === 1 ? 'waits' : 'wait'}`;
}

/** `claude answers again after 10m 02s, 5 loops go on`. */
export function recoveryText({ provider, since, waiting }: OutageState, now: number): string {
  const others =
    waiting === 0 ? '' : `, ${plural(waiting, 'loop')} ${waiting === 1 ? 'goes' : 'go'} on`;
  const ms = Math.max(0, now - since);
  return `${providerName(provider)} answers again after ${formatDuration(ms)}${others}`;
}

const hourMs = 3_600_000;

/** The providers that are down, as a view was told of them, and what is news. */
export class OutageBoard {
  readonly #known = new Map<string, OutageState>();

  get lines(): readonly string[] {
    return [...this.#known.values()].map(outageText);
  }

  /** What to say of it; null: only the number of those who wait has changed, or it is being tried. */
  news(outage: OutageState, isOver: boolean, now: number): string | null {
    const before = this.#known.get(outage.provider);
    if (isOver) {
      this.#known.delete(outage.provider);
      return recoveryText(outage, now);
    }
    this.#known.set(outage.provider, outage);
    if (outage.nextTry === null) return null;
    const told = before?.nextTry ?? null;
    const isNew = told === null || Math.abs(outage.nextTry - told) > sameTryMs;
    return isNew ? `${outageText(outage)} (${outage.why})` : null;
  }
}

/** Two looks at the same next try differ by what the clocks do. */
const sameTryMs = 1500;

import type { Hours } from './slot.ts';

const minutesPerDay = 1440;

/** `22:00-07:00`, as the configuration has checked it. */
export function parseHours(text: string): Hours {
  const [from = '', to = ''] = text.split('-');
  return { from: minuteOf(from), to: minuteOf(to) };
}

/** Minutes until one of the spans is open; 0 when one is, or when there are none. */
export function minutesUntilOpen(hours: readonly Hours[], minute: number): number {
  if (hours.length === 0 || hours.some((span) => isWithin(span, minute))) return 0;
  return Math.min(...hours.map(({ from }) => (from - minute + minutesPerDay) % minutesPerDay));
}

/** The end is not part of a span; one that ends where it begins is the whole day. */
function isWithin({ from, to }: Hours, minute: number): boolean {
  if (from === to) return true;
  return from < to ? minute >= from && minute < to : minute >= from || minute < to;
}

function minuteOf(text: string): number {
  const [hours = '0', minutes = '0'] = text.split(':');
  return Number(hours) * 60 + Number(minutes);
}

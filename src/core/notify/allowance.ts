/** How often a person may be told something. */
export type NotifyLimits = {
  readonly minIntervalMs: number;
  readonly perHour: number;
  /** `22:00-07:00`, in local time. */
  readonly quietHours: readonly string[];
};

/** When notifications were sent within the last hour, and how many were held back since the last one. */
export type Allowance = { readonly sentAt: readonly number[]; readonly heldBack: number };

export const fullAllowance: Allowance = { sentAt: [], heldBack: 0 };

const hourMs = 3_600_000;

/**
 * Whether one more may be sent at `now` (UTC milliseconds) and local `minute` of the day. A critical one always may. What is held
 * back is counted, and told with the next one. Times that are still to come are forgotten: the clock was set back since.
 */
export function allow(
  allowance: Allowance,
  limits: NotifyLimits,
  at: { readonly now: number; readonly minute: number; readonly isCritical: boolean },
): { readonly send: boolean; readonly allowance: Allowance } {
  const sentAt = allowance.sentAt.filter((time) => time <= at.now && at.now - time < hourMs);
  const last = sentAt.at(-1);
  const isTooSoon = last !== undefined && at.now - last < limits.minIntervalMs;
  const isTooMuch = sentAt.length >= limits.perHour;
  const isQuiet = limits.quietHours.some((span) => isWithin(span, at.minute));
  if (!at.isCritical && (isTooSoon || isTooMuch || isQuiet)) {
    return { send: false, allowance: { sentAt, heldBack: allowance.heldBack + 1 } };
  }
  return { send: true, allowance: { sentAt: [...sentAt, at.now].slice(-1000), heldBack: 0 } };
}

/** The end is not part of a span; one that ends where it begins is the whole day. */
function isWithin(span: string, minute: number): boolean {
  const [from = 0, to = 0] = span.split('-').map(minuteOf);
  if (from === to) return true;
  return from < to ? minute >= from && minute < to : minute >= from || minute < to;
}

function minuteOf(text: string): number {
  const [hours = '0', minutes = '0'] = text.split(':');
  return Number(hours) * 60 + Number(minutes);
}

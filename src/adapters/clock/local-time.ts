/** Minutes since midnight where this machine is. */
export function minuteOfDay(): number {
  const now = new Date();
  return now.getHours() * 60 + now.getMinutes();
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const words = /^(?:([A-Z][a-z]{2}) (\d{1,2})(?:st|nd|rd|th), (\d{4}) )?(\d{1,2}):(\d{2})\s([AP])M$/;

/**
 * `4:29 AM` or `Nov 25th, 2026 4:29 AM`, as programs write for people where this machine is; without a day the next such minute,
 * one that has just begun included. UTC milliseconds; null when it is neither.
 */
export function nextLocalTime(text: string, nowMs: number): number | null {
  const match = words.exec(text);
  if (match === null) return null;
  const [, month, day, year, hour, minute, half] = match;
  if (Number(hour) > 12 || Number(minute) > 59) return null;
  if (month !== undefined && !months.includes(month)) return null;
  const hours = (Number(hour) % 12) + (half === 'P' ? 12 : 0);
  const at = new Date(nowMs);
  if (month !== undefined) at.setFullYear(Number(year), months.indexOf(month), Number(day));
  at.setHours(hours, Number(minute), 0, 0);
  if (month === undefined && at.getTime() < nowMs - 60_000) at.setDate(at.getDate() + 1);
  return at.getTime();
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** UTC milliseconds as `2026-01-15 10:30 UTC`, by the Gregorian calendar. */
export function utcStamp(timeMs: number): string {
  const days = Math.floor(timeMs / dayMs);
  const minutes = Math.floor((timeMs - days * dayMs) / minuteMs);
  const { year, month, day } = civil(days);
  const date = `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
  return `${date} ${pad(Math.floor(minutes / 60), 2)}:${pad(minutes % 60, 2)} UTC`;
}

/** Days since 1970 to a date. Years are counted from March, so that the leap day comes last. */
function civil(days: number): { year: number; month: number; day: number } {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1;
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, '0');
}

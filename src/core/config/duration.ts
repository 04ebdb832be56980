/** Units of a duration, largest first; each may appear once, in this order. */
const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const;

/** `90s`, `30m`, `1h30m`, `500ms`, `7d`: whole numbers, decreasing units, nothing else. */
export const durationPattern =
  /^(?=\d)(?:\d{1,9}d)?(?:\d{1,9}h)?(?:\d{1,9}m)?(?:\d{1,9}s)?(?:\d{1,9}ms)?$/;

/** Milliseconds of a duration text; null when it is not one. */
export function parseDuration(text: string): number | null {
  if (!durationPattern.test(text)) return null;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+)(ms|[dhms])/g)) {
    total += Number(amount) * (units.find(([name]) => name === unit)?.[1] ?? 0);
  }
  return Number.isSafeInteger(total) ? total : null;
}

/** The shortest text that `parseDuration` reads back as the same number of milliseconds. */
export function formatDuration(ms: number): string {
  const parts: string[] = [];
  let rest = ms;
  for (const [name, size] of units) {
    const amount = Math.floor(rest / size);
    if (amount > 0) parts.push(`${amount}${name}`);
    rest -= amount * size;
  }
  return parts.length === 0 ? '0s' : parts.join('');
}

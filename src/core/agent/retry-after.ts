/** Nobody limits the rate of requests for longer; a usage window has a reset time instead. */
const longestMs = 24 * 3_600_000;

/**
 * The milliseconds a `retry-after` asks for: seconds, or an HTTP date, which needs `nowMs` to mean anything. Null for what
 * is no time, lies in the past or is absurd: then nobody knows.
 */
export function retryAfterMs(
  value: string,
  at: { readonly dateMs: number | null; readonly nowMs: number | null },
): number | null {
  const text = value.trim();
  if (/^\d{1,12}(?:\.\d{1,6})?$/.test(text)) return sane(Number(text) * 1000);
  if (at.dateMs === null || at.nowMs === null) return null;
  return sane(at.dateMs - at.nowMs);
}

/** Null unless it is a time somebody could wait. */
export function sane(ms: number): number | null {
  return Number.isFinite(ms) && ms >= 0 && ms <= longestMs ? Math.ceil(ms) : null;
}

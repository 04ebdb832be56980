/** Longer than any provider's window: a broken clock or a hostile header. */
const longestMs = 7 * 24 * 3_600_000;

/**
 * What a provider says to wait, in milliseconds: `retry-after-ms`, or `retry-after` as seconds or as a date. Null when
 * there is nothing to be believed: absent, negative, no number, more than a week.
 */
export function retryAfterMs(headers: Pick<Headers, 'get'>, nowMs: number): number | null {
  const exact = believable(decimal(headers.get('retry-after-ms')));
  if (exact !== null) return exact;
  const text = headers.get('retry-after')?.trim() ?? '';
  const seconds = decimal(text);
  if (seconds !== null) return believable(seconds * 1000);
  const date = text.length > 64 || !text.endsWith('GMT') ? Number.NaN : Date.parse(text);
  return Number.isNaN(date) ? null : believable(Math.max(date - nowMs, 0));
}

function decimal(text: string | null): number | null {
  return text !== null && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text.trim()) ? Number(text) : null;
}

function believable(ms: number | null): number | null {
  return ms === null || ms < 0 || ms > longestMs ? null : ms;
}

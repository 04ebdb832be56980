/** How often something may happen: `perSecond` on average, `burst` at once. */
export type Rate = { readonly perSecond: number; readonly burst: number };

/** When the bucket will be full again, in milliseconds of a clock that never goes back. */
export type Bucket = { readonly fullAt: number };

export const fullBucket: Bucket = { fullAt: Number.NEGATIVE_INFINITY };

export type Taken =
  | { readonly ok: true; readonly bucket: Bucket }
  | { readonly ok: false; readonly retryAfterMs: number };

/** Takes one token, or says when there will be one. */
export function takeToken(bucket: Bucket, rate: Rate, now: number): Taken {
  const stepMs = 1000 / rate.perSecond;
  const fullAt = Math.max(bucket.fullAt, now) + stepMs;
  const tooEarlyMs = fullAt - now - stepMs * rate.burst;
  // Rounding must not refuse the last token of a burst.
  if (tooEarlyMs > 1e-6) return { ok: false, retryAfterMs: Math.ceil(tooEarlyMs) };
  return { ok: true, bucket: { fullAt } };
}

import { z } from 'zod';
import { lazy } from '../core/lazy.ts';

/** ISO 8601, UTC. */
export const Time = lazy(() => z.string());

export const Tests = lazy(() =>
  z.object({
    total: z.number().int(),
    passed: z.number().int(),
    failed: z.number().int(),
    skipped: z.number().int(),
  }),
);

export const Tokens = lazy(() =>
  z.object({
    input: z.number(),
    output: z.number(),
    cacheRead: z.number(),
    cacheWrite: z.number(),
  }),
);

/** Stored milliseconds as text. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

export function isoTimeOrNull(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms);
}

/** Sums of cents are not exact: rounded to what is known, a billionth of a dollar. */
export function roundUsd<T extends number | null>(usd: T): T;
export function roundUsd(usd: number | null): number | null {
  return usd === null ? null : Math.round(usd * 1e9) / 1e9;
}

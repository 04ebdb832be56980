import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  afterFailure,
  classifyError,
  defaultRetries,
  transientFailure,
  type ReportedError,
} from '../../../../src/core/agent/native/failure.ts';

const error = (changes: Partial<ReportedError>): ReportedError => ({
  status: null,
  type: null,
  code: null,
  message: null,
  retryAfterMs: null,
  resetAtMs: null,
  ...changes,
});

test.each<[Partial<ReportedError>, string]>([
  [{ status: 401 }, 'auth'],
  [{ status: 403, type: 'permission_error' }, 'auth'],
  [{ type: 'authentication_error' }, 'auth'],
  [{ status: 402 }, 'usage-limit'],
  [{ status: 429, code: 'insufficient_quota' }, 'usage-limit'],
  [{ status: 400, type: 'billing_error' }, 'usage-limit'],
  [{ status: 429, resetAtMs: 1 }, 'usage-limit'],
  [{ status: 429 }, 'rate-limited'],
  [{ type: 'rate_limit_error' }, 'rate-limited'],
  [{ status: 413 }, 'context-full'],
  [{ status: 400, code: 'context_length_exceeded' }, 'context-full'],
  [
    { status: 400, type: 'invalid_request_error', message: 'prompt is too long: 2 > 1' },
    'context-full',
  ],
  [{ status: 400, type: 'invalid_request_error', message: 'tools: prompt is too long' }, 'invalid'],
  [{ status: 400, message: 'rate limit, 429, overloaded, context_length_exceeded' }, 'invalid'],
  [{ status: 404, type: 'not_found_error' }, 'invalid'],
  [{ status: 408 }, 'transient'],
  [{ status: 500, message: 'invalid api key' }, 'transient'],
  [{ status: 529, type: 'overloaded_error' }, 'transient'],
  [{ type: 'overloaded_error' }, 'transient'],
  [{ type: 'never heard of' }, 'transient'],
  [{ type: 'invalid_request_error' }, 'invalid'],
])('%j is %s', (given, kind) => {
  expect(classifyError(error(given)).kind).toBe(kind);
});

describe('what follows', () => {
  const limited = (retryAfterMs: number | null) =>
    classifyError(error({ status: 429, retryAfterMs }));

  test.each([
    [limited(null), 1, { kind: 'retry', waitMs: 1000 }],
    [limited(null), 2, { kind: 'retry', waitMs: 2000 }],
    [limited(null), 3, { kind: 'retry', waitMs: 4000 }],
    [limited(null), 4, { kind: 'end', outcome: 'rate_limited' }],
    [limited(7000), 2, { kind: 'retry', waitMs: 7000 }],
    [limited(0), 1, { kind: 'retry', waitMs: 0 }],
    [limited(30_001), 1, { kind: 'end', outcome: 'rate_limited' }],
    [transientFailure('cut'), 1, { kind: 'retry', waitMs: 1000 }],
    [transientFailure('cut'), 3, { kind: 'retry', waitMs: 4000 }],
    [transientFailure('cut'), 4, { kind: 'end', outcome: 'api_error' }],
    [classifyError(error({ status: 401 })), 1, { kind: 'end', outcome: 'auth' }],
    [classifyError(error({ status: 402 })), 1, { kind: 'end', outcome: 'usage_limit' }],
    [classifyError(error({ status: 413 })), 1, { kind: 'end', outcome: 'context_full' }],
    [classifyError(error({ status: 404 })), 1, { kind: 'end', outcome: 'api_error' }],
  ])('%j in attempt %i', (failure, attempt, next) => {
    expect(afterFailure(failure, attempt, defaultRetries, 0.5)).toEqual(next);
  });

  test('pauses are spread by a quarter and never longer than allowed', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer({ min: 1, max: 9 }),
        (chance, attempt) => {
          const next = afterFailure(
            transientFailure('x'),
            attempt,
            { retries: 9, firstMs: 1000, longestMs: 30_000 },
            chance,
          );
          if (next.kind === 'end') return;
          expect(next.waitMs).toBeLessThanOrEqual(30_000);
          expect(next.waitMs).toBeGreaterThanOrEqual(749 * 2 ** (attempt - 1));
          expect(next.waitMs).toBeLessThanOrEqual(1251 * 2 ** (attempt - 1));
        },
      ),
    );
  });
});

test('any error becomes a bounded, well-formed message', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 5000 }), (message) => {
      const failure = classifyError(error({ status: 500, message }));
      expect(failure.message.length).toBeLessThanOrEqual(500);
      expect(failure.message.isWellFormed()).toBe(true);
    }),
  );
});

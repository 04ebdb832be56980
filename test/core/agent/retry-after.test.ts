import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { retryAfterMs } from '../../../src/core/agent/retry-after.ts';

const now = 1_794_787_200_000;

test.each([
  ['5', null, 5000],
  ['0', null, 0],
  ['1.5', null, 1500],
  [' 7 ', null, 7000],
  ['date', now + 3000, 3000],
  ['date', now - 3000, null],
  ['3155760000', null, null],
  ['999999999999999999999', null, null],
  ['-5', null, null],
  ['soon', null, null],
  ['', null, null],
])('`%s` (date %s) is %s', (value, dateMs, expected) => {
  expect(retryAfterMs(value, { dateMs, nowMs: now })).toBe(expected);
});

test('a date means nothing without the time it is measured from', () => {
  expect(retryAfterMs('date', { dateMs: now, nowMs: null })).toBe(null);
});

test('whatever a header says, nobody waits longer than a day', () => {
  fc.assert(
    fc.property(fc.string(), fc.double(), (value, dateMs) => {
      const ms = retryAfterMs(value, { dateMs, nowMs: now });
      expect(ms === null || (ms >= 0 && ms <= 86_400_000)).toBe(true);
    }),
  );
});

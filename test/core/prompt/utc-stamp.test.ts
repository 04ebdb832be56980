import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { utcStamp } from '../../../src/core/prompt/utc-stamp.ts';

it('formats UTC milliseconds to the minute', () => {
  expect(utcStamp(0)).toBe('1970-01-01 00:00 UTC');
  expect(utcStamp(Date.UTC(2028, 1, 29, 23, 59, 59))).toBe('2028-02-29 23:59 UTC');
});

it('agrees with the platform on every date', () => {
  const range = { min: Date.UTC(1000, 0, 1), max: Date.UTC(9999, 11, 31) };
  fc.assert(
    fc.property(fc.integer(range), (timeMs) => {
      const expected = new Date(timeMs).toISOString().slice(0, 16).replace('T', ' ');
      expect(utcStamp(timeMs)).toBe(`${expected} UTC`);
    }),
  );
});

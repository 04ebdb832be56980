import { expect, test } from 'vitest';
import { nextLocalTime } from '../../../src/adapters/clock/local-time.ts';

/** Where this machine is. */
const at = (...parts: readonly [number, number, number, number, number, number?]) =>
  new Date(...parts).getTime();

test.each([
  ['4:29 AM', at(2026, 10, 18, 3, 28, 30), at(2026, 10, 18, 4, 29)],
  ['4:29 AM', at(2026, 10, 18, 23, 0), at(2026, 10, 19, 4, 29)],
  ['12:05 AM', at(2026, 10, 18, 23, 0), at(2026, 10, 19, 0, 5)],
  ['12:05 PM', at(2026, 10, 18, 11, 0), at(2026, 10, 18, 12, 5)],
  // The minute that has just begun is not tomorrow's.
  ['4:29 PM', at(2026, 10, 18, 16, 29, 40), at(2026, 10, 18, 16, 29)],
  ['Dec 1st, 2026 4:29 PM', at(2026, 10, 30, 16, 0), at(2026, 11, 1, 16, 29)],
  ['Jan 2nd, 2027 4:29 PM', at(2026, 11, 31, 16, 0), at(2027, 0, 2, 16, 29)],
])('%s', (text, now, expected) => {
  expect(nextLocalTime(text, now)).toBe(expected);
});

test.each(['', 'soon', '16:29', '4:29', '4:29 AM tomorrow', 'Foo 1st, 2026 4:29 PM', '99:99 PM'])(
  '`%s` is no time',
  (text) => {
    expect(nextLocalTime(text, at(2026, 10, 18, 3, 0))).toBeNull();
  },
);

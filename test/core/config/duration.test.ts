import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatByteSize, parseByteSize } from '../../../src/core/config/byte-size.ts';
import { formatDuration, parseDuration } from '../../../src/core/config/duration.ts';

describe('durations', () => {
  it.each([
    ['500ms', 500],
    ['90s', 90_000],
    ['30m', 1_800_000],
    ['4h', 14_400_000],
    ['1h30m', 5_400_000],
    ['7d', 604_800_000],
    ['1m1ms', 60_001],
    ['0s', 0],
  ])('reads %s', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each(['', '5', '1.5h', '30 m', '-5s', '5M', '30m1h', 's', '5sec', '9999999999s', ' 5s'])(
    'refuses %j',
    (text) => {
      expect(parseDuration(text)).toBeNull();
    },
  );

  it('reads back what it formats', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 * 366 * 86_400_000 }), (ms) => {
        expect(parseDuration(formatDuration(ms))).toBe(ms);
      }),
    );
  });
});

describe('sizes', () => {
  it.each([
    ['10gb', 10 * 1024 ** 3],
    ['512mb', 512 * 1024 ** 2],
    ['7b', 7],
  ])('reads %s', (text, bytes) => {
    expect(parseByteSize(text)).toBe(bytes);
  });

  it.each(['', '10', '10g', '1.5gb', '10 gb', '10GB', '-1b'])('refuses %j', (text) => {
    expect(parseByteSize(text)).toBeNull();
  });

  it('reads back what it formats', () => {
    fc.assert(
      fc.property(fc.nat({ max: 999_999_999 }), fc.constantFrom(1, 1024, 1024 ** 2), (n, unit) => {
        expect(parseByteSize(formatByteSize(n * unit))).toBe(n * unit);
      }),
    );
  });
});

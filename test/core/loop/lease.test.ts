import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { leaseHolds } from '../../../src/core/loop/lease.ts';

const lengthMs = 60_000;
const time = fc.integer({ min: 0, max: 10_000_000 });
const length = fc.integer({ min: 0, max: lengthMs });
const jump = fc.integer({ min: 2 * lengthMs, max: 10 * lengthMs });

test('a lease holds until it ends', () => {
  const lease = { until: 1000, lengthMs, jumpMs: 0 };
  expect(leaseHolds(lease, 999)).toBe(true);
  expect(leaseHolds(lease, 1000)).toBe(false);
});

test('a clock that is set forward neither ends a lease nor makes it longer', () => {
  fc.assert(
    fc.property(time, length, jump, fc.integer({ min: 0, max: 3 * lengthMs }), (...given) => {
      const [renewedAt, left, jumpMs, passed] = given;
      const until = renewedAt + left;
      // Renewed before the jump: as if nobody had touched the clock.
      const now = renewedAt + passed + jumpMs;
      expect(leaseHolds({ until, lengthMs, jumpMs }, now)).toBe(until > renewedAt + passed);
      // Renewed after it: by the new time.
      const lease = { until: until + jumpMs, lengthMs, jumpMs };
      if (passed <= left + lengthMs) expect(leaseHolds(lease, now)).toBe(until + jumpMs > now);
    }),
  );
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fullBucket, takeToken, type Bucket } from '../../../src/core/rate/bucket.ts';

const arbitraryRate = fc.record({
  perSecond: fc.integer({ min: 1, max: 500 }),
  burst: fc.integer({ min: 1, max: 500 }),
});

describe('a token bucket', () => {
  it('never gives more than the burst and what has flown in since, in any window', () => {
    fc.assert(
      fc.property(
        arbitraryRate,
        fc.array(fc.integer({ min: 0, max: 200 }), { maxLength: 300 }),
        (rate, gaps) => {
          let bucket: Bucket = fullBucket;
          let now = 0;
          const given: number[] = [];
          for (const gap of gaps) {
            now += gap;
            const taken = takeToken(bucket, rate, now);
            if (!taken.ok) continue;
            bucket = taken.bucket;
            given.push(now);
          }
          given.forEach((start, from) => {
            given.slice(from).forEach((end, index) => {
              const most = rate.burst + ((end - start) * rate.perSecond) / 1000;
              expect(index + 1).toBeLessThanOrEqual(most + 1e-6);
            });
          });
        },
      ),
    );
  });

  it('gives one after the time it said', () => {
    fc.assert(
      fc.property(arbitraryRate, (rate) => {
        let bucket: Bucket = fullBucket;
        for (let index = 0; index < rate.burst; index += 1) {
          const taken = takeToken(bucket, rate, 5);
          if (!taken.ok) throw new Error('a full bucket has a whole burst');
          bucket = taken.bucket;
        }
        const refused = takeToken(bucket, rate, 5);
        if (refused.ok) throw new Error('an empty bucket has none');
        expect(takeToken(bucket, rate, 5 + refused.retryAfterMs).ok).toBe(true);
      }),
    );
  });
});

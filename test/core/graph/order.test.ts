import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareRanked, orderKey, type Ranked } from '../../../src/core/graph/order.ts';
import { priorities, type Priority } from '../../../src/core/task/task.ts';

const minute = 60_000;

describe('the order of ready tasks', () => {
  test('is priority first at equal age', () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.shuffledSubarray([...priorities], { minLength: 4 }),
        (since, shuffled) => {
          const ranked = shuffled.map((priority, sequence) => rank(priority, since, sequence));
          expect(ranked.toSorted(compareRanked).map(({ id }) => id)).toEqual([...priorities]);
        },
      ),
    );
  });

  test('is creation, then id, among equals', () => {
    const ranked = [
      { orderKey: 5, sequence: 2, id: 'a' },
      { orderKey: 5, sequence: 1, id: 'c' },
      { orderKey: 5, sequence: 1, id: 'b' },
      { orderKey: 4, sequence: 9, id: 'z' },
    ];
    expect(ranked.toSorted(compareRanked).map(({ id }) => id)).toEqual(['z', 'b', 'c', 'a']);
  });

  test('lets an hour of waiting outweigh every priority', () => {
    expect(orderKey(0, 'low')).toBeLessThan(orderKey(61 * minute, 'critical'));
    expect(orderKey(0, 'low')).toBeGreaterThan(orderKey(59 * minute, 'critical'));
    expect(orderKey(0, 'normal')).toBeLessThan(orderKey(21 * minute, 'high'));
  });

  test('starves nobody: a low task is reached although urgent ones keep arriving', () => {
    const arrivals = fc.array(fc.constantFrom(...priorities), { minLength: 200, maxLength: 200 });
    fc.assert(
      fc.property(arrivals, fc.integer({ min: minute, max: 10 * minute }), (kinds, gapMs) => {
        const before = claimsBefore(kinds, gapMs);
        // Only what arrives within the hour that critical is worth can be ahead.
        expect(before).toBeLessThanOrEqual(Math.ceil((60 * minute) / gapMs));
      }),
    );
  });
});

/** One task arrives and one is claimed every `gapMs`; how many are claimed before the low one that was there first. */
function claimsBefore(kinds: readonly Priority[], gapMs: number): number {
  let queue = [{ ...rank('low', 0, 0), id: 'patient' }];
  for (const [index, priority] of kinds.entries()) {
    const next = rank(priority, index * gapMs, index + 1);
    queue = [...queue, next].toSorted(compareRanked);
    const [claimed, ...rest] = queue;
    if (claimed?.id === 'patient') return index;
    queue = rest;
  }
  return kinds.length;
}

function rank(priority: Priority, since: number, sequence: number): Ranked {
  return { orderKey: orderKey(since, priority), sequence, id: priority };
}

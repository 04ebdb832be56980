import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { Tokens } from '../../../src/core/agent/outcome.ts';
import {
  configuredCost,
  isUnpriced,
  priceUsage,
  type RunUsage,
} from '../../../src/core/price/price.ts';

const tokens: Tokens = { input: 1_000_000, output: 100_000, cacheRead: 0, cacheWrite: 0 };
const none: Tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const shipped = (model: string): number | null => (model === 'listed' ? 9 : null);
const usage: RunUsage = { tokens, costUsd: null, model: 'listed' };

describe('what a run costs', () => {
  it('is what the agent says, whatever the prices are', () => {
    const priced = priceUsage(
      { ...usage, costUsd: 1.5 },
      { listed: { input: 1, output: 1 } },
      shipped,
    );
    expect(priced).toMatchObject({ costUsd: 1.5, costSource: 'agent' });
    expect(priced.models).toEqual([{ model: 'listed', tokens, costUsd: 1.5 }]);
  });

  it('is the configured price before the shipped one', () => {
    const priced = priceUsage(usage, { listed: { input: 2, output: 10 } }, shipped);
    expect(priced).toMatchObject({ costUsd: 3, costSource: 'configured' });
  });

  it('is the shipped price when nothing else is known, and else unknown', () => {
    expect(priceUsage(usage, {}, shipped)).toMatchObject({ costUsd: 9, costSource: 'shipped' });
    const unknown = priceUsage({ ...usage, model: 'new' }, {}, shipped);
    expect(unknown).toMatchObject({ costUsd: null, costSource: null });
    expect(isUnpriced(unknown)).toBe(true);
    expect(priceUsage({ ...usage, model: null }, {}, shipped).costUsd).toBeNull();
  });

  it('is not zero because an agent without a price list says so', () => {
    expect(priceUsage({ ...usage, model: 'new', costUsd: 0 }, {}, shipped).costUsd).toBeNull();
    expect(priceUsage({ ...usage, costUsd: 0 }, {}, shipped).costUsd).toBe(9);
    const free = priceUsage(
      { ...usage, model: 'mine', costUsd: 0 },
      { mine: { input: 0, output: 0 } },
      shipped,
    );
    expect(free).toMatchObject({ costUsd: 0, costSource: 'configured' });
    expect(priceUsage({ tokens: none, costUsd: 0, model: 'new' }, {}, shipped).costUsd).toBe(0);
  });

  it.each([Number.NaN, -1, Number.POSITIVE_INFINITY])('takes no word for %s', (costUsd) => {
    expect(priceUsage({ ...usage, costUsd, model: 'new' }, {}, shipped).costUsd).toBeNull();
  });

  it('is unknown when one of several models has no price', () => {
    const models = [
      { model: 'listed', tokens, costUsd: null },
      { model: 'new', tokens, costUsd: null },
    ];
    const priced = priceUsage({ tokens: null, costUsd: null, model: null, models }, {}, shipped);
    expect(priced.costUsd).toBeNull();
    expect(priced.models.map(({ costUsd }) => costUsd)).toEqual([9, null]);
    expect(priced.tokens?.input).toBe(2_000_000);
    const both = priceUsage(
      { tokens: null, costUsd: null, model: null, models },
      { new: { input: 1, output: 0 } },
      shipped,
    );
    expect(both).toMatchObject({ costUsd: 10, costSource: 'shipped' });
  });
});

test('a cache price that is left out is unknown, and only matters when the cache was used', () => {
  const prices = { m: { input: 1, output: 1 } };
  expect(configuredCost('m', tokens, prices)).toBeCloseTo(1.1);
  expect(configuredCost('m', { ...tokens, cacheRead: 1 }, prices)).toBeNull();
  const whole = { m: { input: 1, output: 1, 'cache-read': 0.1, 'cache-write': 2 } };
  const cached = { input: 0, output: 0, cacheRead: 1_000_000, cacheWrite: 1_000_000 };
  expect(configuredCost('m', cached, whole)).toBeCloseTo(2.1);
});

test('a model is found with and without its provider, and never by a name every object has', () => {
  const prices = { m: { input: 1, output: 0 }, 'b/n': { input: 2, output: 0 } };
  expect(configuredCost('a/m', tokens, prices)).toBe(1);
  expect(configuredCost('b/n', tokens, prices)).toBe(2);
  expect(configuredCost('n', tokens, prices)).toBeNull();
  expect(configuredCost('toString', tokens, prices)).toBeNull();
});

test('a cost grows with its tokens and is never negative', () => {
  const count = fc.nat(10_000_000);
  const some = fc.record({ input: count, output: count, cacheRead: count, cacheWrite: count });
  const price = fc.record({
    input: fc.double({ min: 0, max: 100, noNaN: true }),
    output: fc.double({ min: 0, max: 100, noNaN: true }),
    'cache-read': fc.double({ min: 0, max: 100, noNaN: true }),
    'cache-write': fc.double({ min: 0, max: 100, noNaN: true }),
  });
  fc.assert(
    fc.property(some, price, count, (used, m, more) => {
      const cost = configuredCost('m', used, { m }) ?? -1;
      const later = configuredCost('m', { ...used, input: used.input + more }, { m }) ?? -1;
      expect(cost).toBeGreaterThanOrEqual(0);
      expect(later).toBeGreaterThanOrEqual(cost);
    }),
  );
});

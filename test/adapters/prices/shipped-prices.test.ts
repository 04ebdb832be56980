import { expect, test } from 'vitest';
import { createShippedPrices } from '../../../src/adapters/prices/shipped-prices.ts';

const tokens = { input: 700, output: 100, cacheRead: 200, cacheWrite: 100 };

test('known models have a price, with and without their provider', async () => {
  const priceOf = await createShippedPrices().load();
  expect(priceOf('claude-sonnet-5', tokens)).toBeCloseTo(0.00269, 6);
  expect(priceOf('anthropic/claude-sonnet-5', tokens)).toBeCloseTo(0.00269, 6);
  expect(priceOf('claude-sonnet-5[1m]', tokens)).toBeCloseTo(0.00269, 6);
  expect(priceOf('gpt-5.5', tokens)).toBeGreaterThan(0);
  expect(priceOf('gemini-2.5-pro', tokens)).toBeGreaterThan(0);
});

test.each([
  'fake-model',
  'fake/fake-model',
  'default',
  '',
  'claude',
  '/',
  ']',
  'x'.repeat(100_000),
])('%.20s has none', async (model) => {
  const priceOf = await createShippedPrices().load();
  expect(priceOf(model, tokens)).toBeNull();
});

test('the price of a run is the sum of its requests, however many there were', async () => {
  const priceOf = await createShippedPrices().load();
  const one = priceOf('gemini-2.5-pro', tokens) ?? 0;
  const many = {
    input: tokens.input * 1000,
    output: tokens.output * 1000,
    cacheRead: tokens.cacheRead * 1000,
    cacheWrite: tokens.cacheWrite * 1000,
  };
  expect(priceOf('gemini-2.5-pro', many)).toBeCloseTo(one * 1000, 6);
});

test('impossible counts have no price', async () => {
  const priceOf = await createShippedPrices().load();
  expect(priceOf('gpt-5.5', { ...tokens, output: Number.NaN })).toBeNull();
  expect(priceOf('gpt-5.5', { ...tokens, input: -1 })).toBeNull();
  expect(priceOf('gpt-5.5', { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 })).toBe(0);
});

import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { createRandomIds } from '../../../src/adapters/clock/random-ids.ts';
import { createRandom } from '../../../src/adapters/clock/seeded-random.ts';
import { createSystemClock } from '../../../src/adapters/clock/system-clock.ts';

const clock = createSystemClock();

test('a sleep lasts at least as long as asked', async () => {
  const before = clock.monotonic();
  await clock.sleep(20, new AbortController().signal);
  // Timers count whole milliseconds.
  expect(clock.monotonic() - before).toBeGreaterThanOrEqual(19);
});

test('a sleep ends with the reason of its signal and leaves no listener', async () => {
  const stop = new AbortController();
  const reason = new Error('no longer needed');
  const sleeping = clock.sleep(2 ** 40, stop.signal);
  expect(getEventListeners(stop.signal, 'abort')).toHaveLength(1);
  stop.abort(reason);
  await expect(sleeping).rejects.toBe(reason);
  await expect(clock.sleep(0, stop.signal)).rejects.toBe(reason);
  expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
});

test('a finished sleep leaves no listener', async () => {
  const { signal } = new AbortController();
  await clock.sleep(-5, signal);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('ids carry their kind', () => {
  const ids = createRandomIds();
  expect(ids.task()).toMatch(/^t-[0-9a-f]{8}$/);
  expect(ids.loop()).toMatch(/^loop-[0-9a-f]{8}$/);
  expect(ids.learning()).toMatch(/^l-[0-9a-f]{6}$/);
  expect(ids.token()).toMatch(/^[0-9a-f]{32}$/);
  expect(new Set(Array.from({ length: 100 }, () => ids.token())).size).toBe(100);
});

test('chance repeats for the same seed and stays between 0 and 1', () => {
  expect(draw(7)).toEqual(draw(7));
  expect(draw(7)).not.toEqual(draw(8));
  const drawn = draw(1);
  expect(drawn.every((value) => value >= 0 && value < 1)).toBe(true);
  expect(drawn.reduce((sum, value) => sum + value) / drawn.length).toBeCloseTo(0.5, 1);
});

function draw(seed: number): number[] {
  const random = createRandom(seed);
  return Array.from({ length: 1000 }, () => random.next());
}

import { expect, test } from 'vitest';
import { addLoop, append, wholeIteration } from '../../contract/store-fixture.ts';
import { sqliteFixture } from './sqlite-fixture.ts';

test('appending a whole iteration takes a few milliseconds', async () => {
  await using fixture = await sqliteFixture();
  let loop = await addLoop(fixture.store, 'loop-1');
  const durations: number[] = [];
  for (let number = 1; number <= 40; number += 1) {
    const events = wholeIteration(number);
    expect(events).toHaveLength(14);
    const start = performance.now();
    loop = await append(fixture.store, loop, events);
    durations.push(performance.now() - start);
  }
  const median = durations.toSorted((a, b) => a - b)[20];
  expect(median).toBeLessThan(20);
});

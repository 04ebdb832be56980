import { test } from 'bun:test';

test('passes', () => {});
test('hangs', async () => {
  await new Promise((resolve) => setTimeout(resolve, 60_000));
}, 120_000);

import { test } from 'bun:test';

test('passes', () => {});
setTimeout(() => {
  throw new Error('thrown between tests');
}, 1);
test('waits', async () => {
  await new Promise((resolve) => setTimeout(resolve, 50));
});

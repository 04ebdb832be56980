import { expect, test } from '@playwright/test';

test('passes', () => expect(1).toBe(1));
test('hangs', async () => {
  test.setTimeout(120_000);
  await new Promise((resolve) => setTimeout(resolve, 60_000));
});

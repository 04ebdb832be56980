import { test } from '@playwright/test';

test('takes too long', async () => {
  test.setTimeout(200);
  await new Promise((resolve) => setTimeout(resolve, 60_000));
});

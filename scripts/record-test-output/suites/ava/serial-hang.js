import test from 'ava';

test.serial('passes', (t) => t.pass());
test.serial('hangs', async (t) => {
  t.timeout(120_000);
  await new Promise((resolve) => setTimeout(resolve, 60_000));
});

Deno.test('adds', () => {});
Deno.test('compares', () => {
  throw new Error('Values are not equal.');
});
Deno.test({ name: 'is ignored', ignore: true, fn: () => {} });
Deno.test('steps', async (t) => {
  await t.step('inner passes', () => {});
  await t.step('inner throws', () => {
    throw new TypeError('boom\nsecond line');
  });
});
Deno.test('prints', () => {
  console.log('ok | 9 passed | 0 failed (3ms)');
});

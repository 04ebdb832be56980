Deno.test('adds', () => {
  if (1 + 1 !== 2) throw new Error('no');
});
Deno.test('steps', async (t) => {
  await t.step('one', () => {});
  await t.step('two', () => {});
});

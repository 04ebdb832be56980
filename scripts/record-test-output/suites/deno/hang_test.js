Deno.test('passes', () => {});
Deno.test('hangs', async () => {
  await new Promise((resolve) => setTimeout(resolve, 60_000));
});

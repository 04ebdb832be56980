Deno.test('leaks a timer', () => {
  setTimeout(() => {}, 10_000);
});
Deno.test('passes', () => {});

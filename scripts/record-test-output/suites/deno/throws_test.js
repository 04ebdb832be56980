Deno.test('passes', () => {});
throw new Error('while loading');

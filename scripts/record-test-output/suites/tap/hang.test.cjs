const t = require('tap');
t.test('passes', (t) => {
  t.ok(true);
  t.end();
});
t.test('hangs', { timeout: 120000 }, async () => {
  await new Promise((resolve) => setTimeout(resolve, 60000));
});

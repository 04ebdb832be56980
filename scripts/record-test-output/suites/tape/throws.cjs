const test = require('tape');
test('passes', (t) => {
  t.ok(true);
  t.end();
});
test('throws', () => {
  throw new TypeError('boom');
});

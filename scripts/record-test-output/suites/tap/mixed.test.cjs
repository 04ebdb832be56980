const t = require('tap');
t.test('adds', (t) => {
  t.equal(1 + 1, 2);
  t.end();
});
t.test('compares', (t) => {
  t.same({ a: 1 }, { a: 2 });
  t.ok(true, 'goes on');
  t.end();
});
t.test('is skipped', { skip: true }, (t) => t.end());
t.test('is planned', { todo: true }, (t) => t.end());
t.test('throws', () => {
  throw new TypeError('boom');
});

const t = require('tap');
t.test('adds', (t) => {
  t.equal(1 + 1, 2);
  t.same([], []);
  t.end();
});
t.ok(true, 'top level');

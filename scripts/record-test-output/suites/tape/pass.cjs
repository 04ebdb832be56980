const test = require('tape');
test('adds', (t) => {
  t.plan(2);
  t.equal(1 + 1, 2);
  t.ok(true, 'is true');
});

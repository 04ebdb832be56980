import test from 'ava';

test('adds', (t) => t.is(1 + 1, 2));
test('compares objects', (t) => t.deepEqual({ a: 1 }, { a: 2 }));
test.skip('is skipped', (t) => t.pass());
test.todo('is planned');
test.failing('is expected to fail', (t) => t.fail());
test('throws', () => {
  throw new TypeError('boom\nsecond line');
});
test('logs', (t) => {
  t.log('9 tests passed');
  t.pass();
});

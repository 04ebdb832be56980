QUnit.module('parser', () => {
  QUnit.test('adds', (assert) => assert.equal(1 + 1, 2));
  QUnit.test('compares objects', (assert) => assert.deepEqual({ a: 1 }, { a: 2 }));
  QUnit.test.skip('is skipped', () => {});
  QUnit.test.todo('is planned', (assert) => assert.ok(false));
  QUnit.test('throws', () => {
    throw new TypeError('boom\nsecond line');
  });
  QUnit.test('prints', (assert) => {
    console.log('1..9\n# pass 9\n# skip 0\n# todo 0\n# fail 0');
    assert.ok(true);
  });
});

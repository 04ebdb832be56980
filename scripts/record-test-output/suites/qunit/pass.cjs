QUnit.module('parser');
QUnit.test('adds', (assert) => assert.equal(1 + 1, 2));
QUnit.test('reads', (assert) => assert.deepEqual([], []));

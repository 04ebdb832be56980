import { test } from 'uvu';
import * as assert from 'uvu/assert';

test('adds', () => assert.is(1 + 1, 2));
test('compares objects', () => assert.equal({ a: 1 }, { a: 2 }));
test.skip('is skipped', () => {});
test('throws', () => {
  throw new TypeError('boom');
});
test.run();

const assert = require('assert');

it('adds', () => assert.equal(1 + 1, 2));
describe('parser', () => {
  it('reads', () => assert.ok(true));
  it('compares objects', () => assert.deepEqual({ a: 1 }, { a: 2 }));
  it.skip('is skipped', () => {});
  describe('deeper', () => {
    it('throws', () => {
      throw new TypeError('boom\nsecond line');
    });
  });
});

import { expect, test } from '@playwright/test';

test('adds', () => expect(1 + 1).toBe(2));
test.describe('parser', () => {
  test('compares objects', () => expect({ a: 1 }).toEqual({ a: 2 }));
  test.skip('is skipped', () => {});
  test.fixme('is to be fixed', () => {});
  test('is expected to fail', () => {
    test.fail();
    expect(1).toBe(2);
  });
  test('throws', () => {
    throw new TypeError('boom\nsecond line');
  });
  test('prints', () => {
    console.log('  9 passed (1.2s)');
  });
});

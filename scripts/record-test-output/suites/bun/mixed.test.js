import { describe, expect, test } from 'bun:test';

test('adds', () => expect(1 + 1).toBe(2));
describe('parser', () => {
  test('compares objects', () => expect({ a: 1 }).toEqual({ a: 2 }));
  test.skip('is skipped', () => {});
  test.todo('is planned');
  test('throws', () => {
    throw new TypeError('boom\nsecond line');
  });
});

import { describe, expect, test } from 'bun:test';

test('adds', () => expect(1 + 1).toBe(2));
describe('group', () => {
  test('inner', () => expect([]).toEqual([]));
});

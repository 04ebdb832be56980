import { expect, test } from 'bun:test';

test('prints another summary', () => {
  console.log('\n 9 pass\n 0 fail\n 9 expect() calls\nRan 9 tests across 1 files. [3.00ms]\n');
  console.log('Test Suites: 1 passed, 1 total\nTests:       5 passed, 5 total\n');
});
test('fails', () => expect(1).toBe(2));

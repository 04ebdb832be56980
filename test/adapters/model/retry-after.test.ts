import { expect, test } from 'vitest';
import { retryAfterMs } from '../../../src/adapters/model/retry-after.ts';

const now = Date.parse('2026-11-15T12:00:00Z');

test.each<[Record<string, string>, number | null]>([
  [{ 'retry-after': '7' }, 7000],
  [{ 'retry-after': ' 0 ' }, 0],
  [{ 'retry-after': '1.5' }, 1500],
  [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
  [{ 'retry-after-ms': 'soon', 'retry-after': '9' }, 9000],
  [{ 'retry-after': 'Sun, 15 Nov 2026 12:00:30 GMT' }, 30_000],
  [{ 'retry-after': 'Sun, 15 Nov 2026 11:00:00 GMT' }, 0],
  [{ 'retry-after': 'Sun, 15 Nov 2099 11:00:00 GMT' }, null],
  [{ 'retry-after': '604800' }, 604_800_000],
  [{ 'retry-after': '604801' }, null],
  [{ 'retry-after': '1000000000' }, null],
  [{ 'retry-after': '9'.repeat(400) }, null],
  [{ 'retry-after': '-5' }, null],
  [{ 'retry-after': 'soon' }, null],
  [{ 'retry-after': '1e3' }, null],
  [{ 'retry-after': '' }, null],
  [{}, null],
])('%j means %s', (headers, ms) => {
  expect(retryAfterMs(new Headers(headers), now)).toBe(ms);
});

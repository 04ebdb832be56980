import { expect, it } from 'vitest';
import { missingOptional, readLock } from '../../scripts/complete-lock.ts';

it('has every optional package of other platforms in the lock file, as `npm ci` asks (node scripts/complete-lock.ts)', () => {
  expect([...missingOptional(readLock()).keys()]).toEqual([]);
});

import { randomBytes } from 'node:crypto';
import type { Ids } from '../../ports/clock.ts';

/** Ids from the system's secure random source. */
export function createRandomIds(): Ids {
  return {
    task: () => `t-${hex(8)}`,
    loop: () => `loop-${hex(8)}`,
    learning: () => `l-${hex(6)}`,
    token: () => hex(32),
  };
}

function hex(digits: number): string {
  return randomBytes(digits / 2).toString('hex');
}

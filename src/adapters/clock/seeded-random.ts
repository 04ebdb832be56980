import { randomInt } from 'node:crypto';
import type { Random } from '../../ports/clock.ts';

/** Chance that repeats for the same seed (mulberry32). Good for jitter, not for secrets. */
export function createRandom(seed: number = randomInt(2 ** 32)): Random {
  let state = seed >>> 0;
  return {
    next() {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    },
  };
}

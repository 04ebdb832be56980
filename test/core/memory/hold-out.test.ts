import { describe, expect, it } from 'vitest';
import { isWithheld } from '../../../src/core/memory/rank/hold-out.ts';

describe('withholding', () => {
  it('is the same for the same loop, iteration and learning', () => {
    expect(isWithheld('loop-1', 3, 'l-1', 0.5)).toBe(isWithheld('loop-1', 3, 'l-1', 0.5));
  });

  it.each([0, 0.1, 0.5, 1])('takes a share of %s', (share) => {
    const total = 20_000;
    let withheld = 0;
    for (let n = 0; n < total; n++) {
      if (isWithheld(`loop-${n % 97}`, n % 11, `l-${n}`, share)) withheld++;
    }
    expect(Math.abs(withheld / total - share)).toBeLessThan(0.015);
  });
});

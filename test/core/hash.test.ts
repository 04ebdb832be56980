import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hash64 } from '../../src/core/hash.ts';

describe('hash64', () => {
  it('stays the same between releases, since fingerprints are stored', () => {
    expect([hash64(''), hash64('loopwright'), hash64('漢字 😀')]).toMatchInlineSnapshot(`
      [
        "cc03ed1304c48cc2",
        "2320082711ac1472",
        "9c8b45de146472ca",
      ]
    `);
  });

  it('is 16 hex digits and tells different texts apart', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
        expect(hash64(a)).toMatch(/^[0-9a-f]{16}$/);
        expect(hash64(a) === hash64(b)).toBe(a === b);
      }),
    );
  });

  it('has no collision among a hundred thousand similar lines', () => {
    const seen = new Set(Array.from({ length: 100_000 }, (_, i) => hash64(`test ${i} failed`)));
    expect(seen.size).toBe(100_000);
  });

  it('spreads over all bits', () => {
    const counts = Array.from({ length: 64 }, () => 0);
    for (let i = 0; i < 4000; i++) {
      const bits = BigInt(`0x${hash64(String(i))}`);
      for (let bit = 0; bit < 64; bit++) counts[bit]! += Number((bits >> BigInt(bit)) & 1n);
    }
    expect(Math.min(...counts)).toBeGreaterThan(1800);
    expect(Math.max(...counts)).toBeLessThan(2200);
  });
});

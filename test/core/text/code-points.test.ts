import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countChars, headChars, tailChars } from '../../../src/core/text/code-points.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 60 });

describe('code points', () => {
  it('counts a surrogate pair as one character and a lone surrogate as one', () => {
    expect(countChars('a😀b')).toBe(3);
    expect(countChars('\ud83d')).toBe(1);
    expect(countChars('\ude00\ud83d')).toBe(2);
    expect(countChars('')).toBe(0);
  });

  it('cuts like an array of code points does', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: -2, max: 70 }), (text, max) => {
        const points = Array.from(text);
        const kept = Math.max(0, max);
        expect(countChars(text)).toBe(points.length);
        expect(headChars(text, max)).toBe(points.slice(0, kept).join(''));
        expect(tailChars(text, max)).toBe(kept === 0 ? '' : points.slice(-kept).join(''));
      }),
    );
  });

  it('cuts arbitrary UTF-16 without splitting a pair', () => {
    const units = fc.array(fc.integer({ min: 0xd7f0, max: 0xe010 }), { maxLength: 30 });
    fc.assert(
      fc.property(units, fc.nat(30), (codes, max) => {
        const text = String.fromCharCode(...codes);
        expect(headChars(text, max)).toBe(Array.from(text).slice(0, max).join(''));
        expect(countChars(tailChars(text, max))).toBe(Math.min(max, countChars(text)));
      }),
    );
  });
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { failureSignature, signatureSimilarity } from '../../../src/core/verdict/signature.ts';

const first = `\u001b[31mFAIL\u001b[39m test/parser.test.ts > accepts trailing commas 12ms
AssertionError: expected 3 to be 4
 ❯ /home/ada/app/test/parser.test.ts:14:20
object at 0x7f85aff52f90, request 550e8400-e29b-41d4-a716-446655440000, task t-0dfebf12
2026-11-15T20:50:58.650Z finished in 1.23s`;

const second = `FAIL test/parser.test.ts > accepts trailing commas 845ms
AssertionError: expected 30 to be 41
 ❯ C:\\work\\app\\test\\parser.test.ts:18:2
object at 0x00007fe0, request 6ba7b810-9dad-11d1-80b4-00c04fd430c8, task t-99aa01ff
2027-01-02T01:02:03.004Z finished in 14.1s`;

const other = `error[E0308]: mismatched types
  --> src/lib.rs:8:29
   |
   | expected struct String, found integer
error: could not compile sample due to one previous error`;

/** Both ends are the same for every word. */
const middle = (word: string) =>
  `${'start '.repeat(20_000)}${`${word} `.repeat(500_000)}${'end '.repeat(30_000)}`;

describe('failureSignature', () => {
  it('is equal for the same failure with other paths, numbers, times, addresses and ids', () => {
    expect(failureSignature(second)).toEqual(failureSignature(first));
  });

  it('does not depend on the order or the repetition of lines', () => {
    const lines = first.split('\n');
    expect(failureSignature(lines.toReversed().join('\r\n'))).toEqual(failureSignature(first));
    expect(failureSignature([...lines, ...lines].join('\n'))).toEqual(failureSignature(first));
  });

  it('tells another failure apart', () => {
    expect(failureSignature(other).exact).not.toBe(failureSignature(first).exact);
    expect(signatureSimilarity(failureSignature(other), failureSignature(first))).toBeLessThan(0.8);
  });

  it('sees likeness when one line of many differs', () => {
    const names = [
      'alpha',
      'beta',
      'gamma',
      'delta',
      'epsilon',
      'zeta',
      'eta',
      'theta',
      'iota',
      'kappa',
    ];
    const many = names
      .map((name) => `test ${name} failed because the ${name} value was missing`)
      .join('\n');
    const oneMore = `${many}\ntest omega failed because nothing was there`;
    const alike = signatureSimilarity(failureSignature(many), failureSignature(oneMore));
    expect(alike).toBeGreaterThan(0.8);
    expect(alike).toBeLessThan(1);
  });

  it('reads only both ends of a huge output', () => {
    const started = performance.now();
    expect(failureSignature(middle('alpha'))).toEqual(failureSignature(middle('omega')));
    expect(performance.now() - started).toBeLessThan(2000);
  });

  it('never throws, is well formed, and similarity is symmetric within 0..1', () => {
    const texts = fc.string({ unit: 'binary', maxLength: 200 });
    fc.assert(
      fc.property(texts, texts, (a, b) => {
        const [left, right] = [failureSignature(a), failureSignature(b)];
        expect(left.exact).toMatch(/^[0-9a-f]{16}$/);
        expect(left.simhash).toMatch(/^[0-9a-f]{16}$/);
        const similarity = signatureSimilarity(left, right);
        expect(similarity).toBe(signatureSimilarity(right, left));
        expect(similarity).toBeGreaterThanOrEqual(0);
        expect(similarity).toBeLessThanOrEqual(1);
        expect(signatureSimilarity(left, left)).toBe(1);
      }),
    );
  });
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearest } from '../../../src/core/text/nearest.ts';

const keys = ['max-iterations', 'max-cost-usd', 'validation', 'verify', 'agent', 'agents', 'git'];

describe('nearest', () => {
  it.each([
    ['max-iteration', 'max-iterations'],
    ['maxIterations', 'max-iterations'],
    ['max_iterations', 'max-iterations'],
    ['validaiton', 'validation'],
    ['Verify', 'verify'],
    ['agnet', 'agent'],
    ['agentss', 'agents'],
    ['gti', 'git'],
  ])('takes %s for %s', (word, meant) => {
    expect(nearest(word, keys)).toBe(meant);
  });

  it('is silent when nothing is close', () => {
    expect(nearest('banana', keys)).toBeNull();
    expect(nearest('', keys)).toBeNull();
    expect(nearest('x', [])).toBeNull();
  });

  it('always finds a candidate that is there', () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1 }),
        fc.nat(),
        (words, pick) => {
          const word = words[pick % words.length]!;
          expect(nearest(word, words)).toBe(word);
        },
      ),
    );
  });

  it('answers for words of any length', () => {
    expect(nearest('a'.repeat(1_000_000), ['a'.repeat(1_000_000), 'b'])).toBe(
      'a'.repeat(1_000_000),
    );
  });
});

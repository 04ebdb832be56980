import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../../src/core/config/schema.ts';
import { StopCondition, type StopTest } from '../../../src/core/config/section/stop.ts';
import { answerFromLoop } from '../../../src/core/loop/stop-look.ts';
import { countedIterations, lastIteration } from '../../../src/core/loop/loop.ts';
import { plainOptions, walk } from '../../support/simulated-loop.ts';

const facts = { activeMs: 0, isAskedToStop: false };

function testOf(value: unknown): StopTest {
  const parsed = StopCondition().parse(value);
  if (!('on' in parsed)) throw new Error('not a test');
  return parsed;
}

const walks = fc.infiniteStream(fc.nat()).map((numbers) => {
  const choices = { int: (max: number) => Number(numbers.next().value) % max };
  return walk(choices, plainOptions, defaultSettings(), 120).loop;
});

describe('what a loop says about a condition', () => {
  it('counts the iteration that has just ended: the limit is met at the number it names, and not before', () => {
    let met = 0;
    fc.assert(
      fc.property(walks, fc.integer({ min: 1, max: 6 }), (loop, value) => {
        const answer = answerFromLoop(loop, testOf({ on: 'max-iterations', value }), facts);
        expect(answer).toBe(countedIterations(loop) >= value);
        if (answer === true) met++;
      }),
    );
    expect(met).toBeGreaterThan(5);
  });

  it('a streak of n is also one of n - 1, and none is longer than the loop', () => {
    fc.assert(
      fc.property(
        walks,
        fc.constantFrom('no-progress', 'test-failure-streak'),
        fc.integer({ min: 2, max: 8 }),
        (loop, on, value) => {
          const holds = (n: number) => answerFromLoop(loop, testOf({ on, value: n }), facts);
          if (holds(value) === true) expect(holds(value - 1)).toBe(true);
          expect(holds(loop.iterations.length + 1)).toBe(false);
        },
      ),
    );
  });

  it('an error is one of the last iteration; its text needs a look', () => {
    let errors = 0;
    fc.assert(
      fc.property(walks, (loop) => {
        const outcome = lastIteration(loop)?.outcome;
        const isError = outcome === 'error' || outcome === 'timed_out';
        if (isError) errors++;
        expect(answerFromLoop(loop, testOf({ on: 'on-error' }), facts)).toBe(isError);
        const withPattern = testOf({ on: 'on-error', pattern: 'x' });
        expect(answerFromLoop(loop, withPattern, facts)).toBe(isError ? null : false);
      }),
    );
    expect(errors).toBeGreaterThan(5);
  });

  it('time and a request to stop are what the owner knows', () => {
    fc.assert(
      fc.property(walks, fc.nat(5000), fc.boolean(), (loop, activeMs, isAskedToStop) => {
        const known = { activeMs, isAskedToStop };
        const late = testOf({ on: 'max-duration', value: '2500ms' });
        expect(answerFromLoop(loop, late, known)).toBe(activeMs >= 2500);
        expect(answerFromLoop(loop, testOf({ on: 'user-signal' }), known)).toBe(isAskedToStop);
      }),
    );
  });
});

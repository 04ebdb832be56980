import { describe, expect, it } from 'vitest';
import { isLoopwrightError } from '../../../src/core/error.ts';
import {
  assertLoopDecision,
  assertLoopStrategy,
  createLoopStrategy,
  loopStrategyNames,
  strategyMaximum,
} from '../../../src/core/strategy/registry.ts';
import type { LoopDecision } from '../../../src/core/strategy/strategy.ts';
import { completed } from './summary.ts';
import { shows } from '../../support/shows.ts';

function errorOf(run: () => unknown): { code: string; message: string; hint: string | null } {
  try {
    run();
  } catch (error) {
    if (isLoopwrightError(error)) {
      return { code: error.code, message: error.message, hint: error.hint };
    }
    throw error;
  }
  throw new Error('expected an error');
}

describe('createLoopStrategy', () => {
  it.each(loopStrategyNames)('builds %s under its own name', (name) => {
    shows('003.named', '003.factory-names');
    expect(createLoopStrategy({ name }).name).toBe(name);
  });

  it('lists the valid names and the nearest one for an unknown name', () => {
    shows('003.factory-unknown');
    expect(errorOf(() => createLoopStrategy({ name: 'hybird' }))).toEqual({
      code: 'strategy.unknown',
      message:
        'Unknown strategy "hybird". Valid: until-pass, fixed, hybrid, ralph, manual, or the path of a module.',
      hint: 'Did you mean "hybrid"?',
    });
  });

  it('does not take names of object properties for strategies', () => {
    expect(errorOf(() => createLoopStrategy({ name: 'constructor' })).code).toBe(
      'strategy.unknown',
    );
  });

  it.each([
    { name: 'fixed', iterations: 0 },
    { name: 'fixed', iterations: 1.5 },
    { name: 'fixed', iterations: Number.NaN },
    { name: 'hybrid', bonus: -1 },
    { name: 'hybrid', threshold: 1.1 },
    { name: 'ralph', window: 1 },
    { name: 'ralph', min: 5, max: 4 },
  ])('refuses %o', (config) => {
    expect(errorOf(() => createLoopStrategy(config)).code).toBe('strategy.invalid');
  });
});

describe('strategyMaximum', () => {
  it.each([
    [{ name: 'until-pass' }, null],
    [{ name: 'manual' }, null],
    [{ name: 'fixed' }, 3],
    [{ name: 'fixed', iterations: 7 }, 7],
    [{ name: 'hybrid' }, 5],
    [{ name: 'ralph' }, 10],
  ])('of %o is %s', (config, expected) => {
    expect(strategyMaximum(config)).toBe(expected);
  });
});

const answer = (): null => null;

describe('assertLoopStrategy', () => {
  it('gives back the same object, so that methods keep their this', async () => {
    class Counting {
      readonly name = 'counting';
      readonly limit = 2;
      onIterationComplete(event: { iteration: number }): Promise<LoopDecision> {
        return Promise.resolve({ continue: event.iteration < this.limit, reason: 'counted' });
      }
    }
    const strategy = assertLoopStrategy(new Counting(), './counting.mjs');
    const decision = await strategy.onIterationComplete(completed(2));
    expect(decision).toEqual({ continue: false, reason: 'counted' });
  });

  it.each([
    [undefined, 'it exports nothing instead of a strategy object'],
    [() => ({}), 'it exports a function instead of a strategy object'],
    [{ onIterationComplete: answer }, 'name must be a non-empty string, got nothing'],
    [{ name: 'x' }, 'onIterationComplete must be a function, got nothing'],
    [
      { name: 'x', onIterationComplete: answer, onLoopEnd: 'no' },
      'onLoopEnd must be a function, got a string',
    ],
  ])('says what is wrong with %o', (value, problem) => {
    shows('003.wrong-shape');
    const error = errorOf(() => assertLoopStrategy(value, './mine.mjs'));
    expect(error.code).toBe('strategy.invalid');
    expect(error.message).toBe(`Strategy ./mine.mjs is not usable: ${problem}.`);
  });
});

describe('assertLoopDecision', () => {
  it('takes a decision with feedback and metadata', () => {
    shows('003.decision-metadata');
    const decision = { continue: true, reason: 'more', feedback: 'try b', metadata: { a: 1 } };
    expect(assertLoopDecision(decision, 'mine')).toBe(decision);
  });

  it.each([
    [undefined],
    [true],
    [{ reason: 'x' }],
    [{ continue: 'false', reason: 'x' }],
    [{ continue: true }],
    [{ continue: true, reason: 'x', feedback: 1 }],
    [{ continue: true, reason: 'x', metadata: null }],
  ])('refuses %o', (value) => {
    shows('003.decision-wrong', '003.decision-reason');
    expect(errorOf(() => assertLoopDecision(value, 'mine')).code).toBe('strategy.invalid');
  });
});

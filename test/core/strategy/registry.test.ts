import { describe, expect, it } from 'vitest';
import { isLoopwrightError } from '../../../src/core/error.ts';
import {
  assertLoopDecision,
  assertLoopStrategy,
  createLoopStrategy,
  strategyMaximum,
} from '../../../src/core/strategy/registry.ts';
import { loopStrategyNames } from '../../../src/core/strategy/strategy-config.ts';
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

describe('the keys of 003', () => {
  const all = {
    maxIterations: 4,
    baseIterations: 2,
    maxBonusIterations: 1,
    progressThreshold: 0.2,
    minIterations: 3,
    convergenceThreshold: 0.9,
    windowSize: 2,
  };

  it.each([
    [{ mode: 'fixed', maxIterations: 5 }, 'fixed', 5],
    [{ mode: 'fixed' }, 'fixed', 3],
    [{ mode: 'hybrid', baseIterations: 2, maxBonusIterations: 4 }, 'hybrid', 6],
    [{ mode: 'ralph', minIterations: 2, maxIterations: 6, windowSize: 2 }, 'ralph', 6],
    // One object for all modes.
    [{ mode: 'fixed', ...all }, 'fixed', 4],
    [{ mode: 'hybrid', ...all }, 'hybrid', 3],
    [{ mode: 'ralph', ...all }, 'ralph', 4],
    [{ name: 'fixed', maxIterations: 5 }, 'fixed', 5],
    [{ mode: 'fixed', iterations: 5 }, 'fixed', 5],
  ])('%o', (config, name, maximum) => {
    expect([createLoopStrategy(config).name, strategyMaximum(config)]).toEqual([name, maximum]);
  });

  it('decide as those of the configuration do', async () => {
    const long = createLoopStrategy({
      mode: 'ralph',
      minIterations: 2,
      convergenceThreshold: 0.5,
      windowSize: 2,
    });
    const short = createLoopStrategy({ name: 'ralph', min: 2, threshold: 0.5, window: 2 });
    const events = [1, 2, 3].map((iteration) => completed(iteration));
    for (const event of events) {
      expect(await long.onIterationComplete(event)).toEqual(await short.onIterationComplete(event));
    }
  });

  it.each<[unknown, string]>([
    [undefined, 'A strategy is an object such as'],
    [null, 'got null'],
    ['fixed', 'got a string'],
    [[], 'got a list'],
    [{}, 'A strategy needs a name or a mode: until-pass, fixed, hybrid, ralph, manual.'],
    [{ mode: 3 }, 'got a number'],
    [{ mode: {} }, 'got an object'],
    [{ mode: 'fixed', name: 'ralph' }, 'has the name ralph and the mode fixed'],
    [{ mode: 'fixed', maxIterations: '3' }, 'maxIterations must be a number, got a string'],
    [
      { mode: 'fixed', maxIterations: 0 },
      'maxIterations must be a whole number of at least 1, got 0',
    ],
    [
      { mode: 'fixed', maxIterations: 3, iterations: 4 },
      'maxIterations (3) and iterations (4) differ',
    ],
    [
      { mode: 'fixed', maxIteration: 3 },
      'maxIteration does not belong to it; it takes iterations, maxIterations',
    ],
    [{ mode: 'hybrid', progressThreshold: 2 }, 'progressThreshold must be between 0 and 1, got 2'],
    [{ mode: 'ralph', minIterations: 5, maxIterations: 2 }, 'max (2) is below min (5)'],
    [{ name: 'fixed', window: 3 }, 'window does not belong to it'],
    [{ mode: 'manual', fast: true }, 'fast does not belong to it; it takes no numbers'],
  ])('%o is a clear error', (config, message) => {
    // As a caller without types would.
    const error = errorOf(() => Reflect.apply(createLoopStrategy, null, [config]));
    expect(error.code).toBe('strategy.invalid');
    expect(error.message).toContain(message);
    expect(error.hint).not.toBeNull();
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

import { LoopwrightError } from '../error.ts';
import { createFixed } from './fixed.ts';
import { createHybrid } from './hybrid.ts';
import { createManual } from './manual.ts';
import { createRalph } from './ralph.ts';
import {
  describe,
  readStrategyConfig,
  type LoopStrategyConfig,
  type NumberKey,
  type ReadStrategy,
} from './strategy-config.ts';
import type { LoopDecision, LoopStrategy } from './strategy.ts';
import { createUntilPass } from './until-pass.ts';

/** A strategy and the number of iterations after which it stops by itself; null when it never does. */
type Built = { readonly strategy: LoopStrategy; readonly maximum: number | null };

const builders: Readonly<Record<string, (read: ReadStrategy) => Built>> = {
  'until-pass': () => ({ strategy: createUntilPass(), maximum: null }),
  fixed(read) {
    const iterations = count(read, 'iterations', 3, 1);
    return { strategy: createFixed({ iterations }), maximum: iterations };
  },
  hybrid(read) {
    const base = count(read, 'base', 3, 1);
    const bonus = count(read, 'bonus', 2, 0);
    const strategy = createHybrid({ base, bonus, threshold: share(read, 0.1) });
    return { strategy, maximum: base + bonus };
  },
  ralph(read) {
    const min = count(read, 'min', 2, 1);
    const max = count(read, 'max', 10, 1);
    if (max < min) throw invalid(read.name, `max (${max}) is below min (${min})`);
    const window = count(read, 'window', 3, 2);
    return {
      strategy: createRalph({ min, max, window, threshold: share(read, 0.95) }),
      maximum: max,
    };
  },
  manual: () => ({ strategy: createManual(), maximum: null }),
};

/** A built-in strategy. Modules of the user's own are loaded elsewhere and checked by `assertLoopStrategy`. */
export function createLoopStrategy(config: LoopStrategyConfig): LoopStrategy {
  return build(config).strategy;
}

/** Iterations after which the strategy stops by itself; a cap below it is worth a warning. */
export function strategyMaximum(config: LoopStrategyConfig): number | null {
  return build(config).maximum;
}

/** Checks what a user's module exports. The same object comes back, so that its methods keep their `this`. */
export function assertLoopStrategy(value: unknown, where: string): LoopStrategy {
  mustBeStrategy(value, where);
  return value;
}

/** Checks what a strategy answered, for the same reason. */
export function assertLoopDecision(value: unknown, where: string): LoopDecision {
  mustBeDecision(value, where);
  return value;
}

function mustBeStrategy(value: unknown, where: string): asserts value is LoopStrategy {
  if (typeof value !== 'object' || value === null) {
    throw invalid(where, `it exports ${describe(value)} instead of a strategy object`);
  }
  const shape = value as Partial<Record<keyof LoopStrategy, unknown>>;
  if (typeof shape.name !== 'string' || shape.name.trim() === '') {
    throw invalid(where, `name must be a non-empty string, got ${describe(shape.name)}`);
  }
  if (typeof shape.onIterationComplete !== 'function') {
    const got = describe(shape.onIterationComplete);
    throw invalid(where, `onIterationComplete must be a function, got ${got}`);
  }
  if (shape.onLoopEnd !== undefined && typeof shape.onLoopEnd !== 'function') {
    throw invalid(where, `onLoopEnd must be a function, got ${describe(shape.onLoopEnd)}`);
  }
}

function mustBeDecision(value: unknown, where: string): asserts value is LoopDecision {
  if (typeof value !== 'object' || value === null) {
    throw invalid(where, `onIterationComplete answered ${describe(value)} instead of a decision`);
  }
  const shape = value as Partial<Record<keyof LoopDecision, unknown>>;
  if (typeof shape.continue !== 'boolean') {
    throw invalid(
      where,
      `decision.continue must be true or false, got ${describe(shape.continue)}`,
    );
  }
  if (typeof shape.reason !== 'string') {
    throw invalid(where, `decision.reason must be a string, got ${describe(shape.reason)}`);
  }
  if (shape.feedback !== undefined && typeof shape.feedback !== 'string') {
    throw invalid(where, `decision.feedback must be a string, got ${describe(shape.feedback)}`);
  }
  if (
    shape.metadata !== undefined &&
    (typeof shape.metadata !== 'object' || shape.metadata === null)
  ) {
    throw invalid(where, `decision.metadata must be an object, got ${describe(shape.metadata)}`);
  }
}

function build(config: LoopStrategyConfig): Built {
  const read = readStrategyConfig(config);
  const builder = builders[read.name];
  if (builder === undefined) throw invalid(read.name, 'it is not built in');
  return builder(read);
}

function invalid(where: string, problem: string): LoopwrightError {
  return new LoopwrightError('strategy.invalid', `Strategy ${where} is not usable: ${problem}.`, {
    hint: 'A strategy is an object with name and onIterationComplete(event), which returns {continue, reason}.',
  });
}

function count(
  { name, numbers }: ReadStrategy,
  key: Exclude<NumberKey, 'threshold'>,
  fallback: number,
  least: number,
): number {
  const { value, key: as } = numbers[key] ?? { key, value: fallback };
  if (Number.isInteger(value) && value >= least) return value;
  throw outOfRange(name, as, `a whole number of at least ${least}`, value);
}

function share({ name, numbers }: ReadStrategy, fallback: number): number {
  const { value, key } = numbers.threshold ?? { key: 'threshold', value: fallback };
  if (value >= 0 && value <= 1) return value;
  throw outOfRange(name, key, 'between 0 and 1', value);
}

function outOfRange(name: string, key: string, expected: string, value: number): LoopwrightError {
  return new LoopwrightError(
    'strategy.invalid',
    `Strategy ${name}: ${key} must be ${expected}, got ${value}.`,
    { hint: `Correct ${key} of the strategy.` },
  );
}

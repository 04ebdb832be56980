import { LoopwrightError } from '../error.ts';
import { nearest } from '../text/nearest.ts';
import { createFixed } from './fixed.ts';
import { createHybrid } from './hybrid.ts';
import { createManual } from './manual.ts';
import { createRalph } from './ralph.ts';
import type { LoopDecision, LoopStrategy } from './strategy.ts';
import { createUntilPass } from './until-pass.ts';

export type LoopStrategyConfig = {
  readonly name: string;
  /** fixed: 3 */
  readonly iterations?: number | undefined;
  /** hybrid: 3 */
  readonly base?: number | undefined;
  /** hybrid: 2 */
  readonly bonus?: number | undefined;
  /** hybrid: 0.1, ralph: 0.95 */
  readonly threshold?: number | undefined;
  /** ralph: 2 */
  readonly min?: number | undefined;
  /** ralph: 10 */
  readonly max?: number | undefined;
  /** ralph: 3 */
  readonly window?: number | undefined;
};

/** A strategy and the number of iterations after which it stops by itself; null when it never does. */
type Built = { readonly strategy: LoopStrategy; readonly maximum: number | null };

const builders: Readonly<Record<string, (config: LoopStrategyConfig) => Built>> = {
  'until-pass': () => ({ strategy: createUntilPass(), maximum: null }),
  fixed(config) {
    const iterations = count(config, 'iterations', 3, 1);
    return { strategy: createFixed({ iterations }), maximum: iterations };
  },
  hybrid(config) {
    const base = count(config, 'base', 3, 1);
    const bonus = count(config, 'bonus', 2, 0);
    const strategy = createHybrid({ base, bonus, threshold: share(config, 0.1) });
    return { strategy, maximum: base + bonus };
  },
  ralph(config) {
    const min = count(config, 'min', 2, 1);
    const max = count(config, 'max', 10, 1);
    if (max < min) throw invalid(config.name, `max (${max}) is below min (${min})`);
    const window = count(config, 'window', 3, 2);
    return {
      strategy: createRalph({ min, max, window, threshold: share(config, 0.95) }),
      maximum: max,
    };
  },
  manual: () => ({ strategy: createManual(), maximum: null }),
};

export const loopStrategyNames: readonly string[] = Object.keys(builders);

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
  const builder = Object.hasOwn(builders, config.name) ? builders[config.name] : undefined;
  if (builder === undefined) throw unknown(config.name);
  return builder(config);
}

function unknown(name: string): LoopwrightError {
  const near = nearest(name, loopStrategyNames);
  const valid = loopStrategyNames.join(', ');
  return new LoopwrightError(
    'strategy.unknown',
    `Unknown strategy "${name}". Valid: ${valid}, or the path of a module.`,
    { hint: near === null ? `Use one of ${valid}.` : `Did you mean "${near}"?` },
  );
}

function invalid(where: string, problem: string): LoopwrightError {
  return new LoopwrightError('strategy.invalid', `Strategy ${where} is not usable: ${problem}.`, {
    hint: 'A strategy is an object with name and onIterationComplete(event), which returns {continue, reason}.',
  });
}

type CountKey = 'iterations' | 'base' | 'bonus' | 'min' | 'max' | 'window';

function count(config: LoopStrategyConfig, key: CountKey, fallback: number, least: number): number {
  const value = config[key] ?? fallback;
  if (Number.isInteger(value) && value >= least) return value;
  throw outOfRange(config.name, key, `a whole number of at least ${least}`, value);
}

function share(config: LoopStrategyConfig, fallback: number): number {
  const value = config.threshold ?? fallback;
  if (value >= 0 && value <= 1) return value;
  throw outOfRange(config.name, 'threshold', 'between 0 and 1', value);
}

function outOfRange(name: string, key: string, expected: string, value: number): LoopwrightError {
  return new LoopwrightError(
    'strategy.invalid',
    `Strategy ${name}: ${key} must be ${expected}, got ${value}.`,
    { hint: `Correct strategy.${key} in the configuration.` },
  );
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return value === undefined ? 'nothing' : `a ${typeof value}`;
}

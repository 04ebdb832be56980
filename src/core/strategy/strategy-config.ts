import { LoopwrightError } from '../error.ts';
import { nearest } from '../text/nearest.ts';

/**
 * A built-in strategy with its numbers: by `name` with the keys of the configuration, or by `mode` with their long names. Numbers
 * left out have defaults.
 */
export type LoopStrategyConfig = {
  readonly name?: string | undefined;
  /** The same as `name`. */
  readonly mode?: string | undefined;
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
  /** fixed: `iterations`, ralph: `max` */
  readonly maxIterations?: number | undefined;
  /** hybrid: `base` */
  readonly baseIterations?: number | undefined;
  /** hybrid: `bonus` */
  readonly maxBonusIterations?: number | undefined;
  /** hybrid: `threshold` */
  readonly progressThreshold?: number | undefined;
  /** ralph: `min` */
  readonly minIterations?: number | undefined;
  /** ralph: `threshold` */
  readonly convergenceThreshold?: number | undefined;
  /** ralph: `window` */
  readonly windowSize?: number | undefined;
};

export type NumberKey = 'iterations' | 'base' | 'bonus' | 'threshold' | 'min' | 'max' | 'window';

/** Its name, and the numbers that were given for it, each with the key they were given by. */
export type ReadStrategy = {
  readonly name: string;
  readonly numbers: Readonly<Partial<Record<NumberKey, Given>>>;
};

export type Given = { readonly key: string; readonly value: number };

/** The numbers of each strategy, by both of their names. */
const keysOf: Readonly<Record<string, Readonly<Record<string, NumberKey>>>> = {
  'until-pass': {},
  fixed: { iterations: 'iterations', maxIterations: 'iterations' },
  hybrid: {
    base: 'base',
    bonus: 'bonus',
    threshold: 'threshold',
    baseIterations: 'base',
    maxBonusIterations: 'bonus',
    progressThreshold: 'threshold',
  },
  ralph: {
    min: 'min',
    max: 'max',
    window: 'window',
    threshold: 'threshold',
    minIterations: 'min',
    maxIterations: 'max',
    convergenceThreshold: 'threshold',
    windowSize: 'window',
  },
  manual: {},
};

export const loopStrategyNames: readonly string[] = Object.keys(keysOf);

/** One object holds the numbers of all modes: those of the others are not looked at. */
const modeKeys: ReadonlySet<string> = new Set([
  'maxIterations',
  'baseIterations',
  'maxBonusIterations',
  'progressThreshold',
  'minIterations',
  'convergenceThreshold',
  'windowSize',
]);
const allKeys = ['name', 'mode', ...modeKeys, ...Object.values(keysOf).flatMap(Object.keys)];

/** Reads what a caller gives; anything that cannot be carried out is refused with what to write instead. */
export function readStrategyConfig(config: unknown): ReadStrategy {
  if (typeof config !== 'object' || config === null || Array.isArray(config)) {
    const got = describe(config);
    throw wrong(`A strategy is an object such as { mode: 'fixed', maxIterations: 3 }, got ${got}.`);
  }
  const given = Object.entries(config).filter(([, value]) => value !== undefined);
  const name = nameOf(new Map(given));
  const own = keysOf[name] ?? {};
  const isMode = given.some(([key]) => key === 'mode');
  const numbers: Partial<Record<NumberKey, Given>> = {};
  for (const [key, value] of given) {
    if (key === 'name' || key === 'mode') continue;
    const number = Object.hasOwn(own, key) ? own[key] : undefined;
    if (number === undefined && !(isMode && modeKeys.has(key))) throw foreignKey(name, key);
    if (typeof value !== 'number') {
      throw wrong(`Strategy ${name}: ${key} must be a number, got ${describe(value)}.`);
    }
    if (number === undefined) continue;
    const other = numbers[number];
    if (other !== undefined && other.value !== value) {
      throw wrong(`Strategy ${name}: ${other.key} (${other.value}) and ${key} (${value}) differ.`);
    }
    numbers[number] = { key, value };
  }
  return { name, numbers };
}

function nameOf(given: ReadonlyMap<string, unknown>): string {
  const [name, mode] = [given.get('name'), given.get('mode')];
  const valid = loopStrategyNames.join(', ');
  const wanted = name ?? mode;
  if (wanted === undefined) throw wrong(`A strategy needs a name or a mode: ${valid}.`);
  if (typeof wanted !== 'string') {
    throw wrong(`The name of a strategy must be one of ${valid}, got ${describe(wanted)}.`);
  }
  if (name !== undefined && mode !== undefined && name !== mode) {
    throw wrong(`The strategy has the name ${word(name)} and the mode ${word(mode)}.`);
  }
  if (Object.hasOwn(keysOf, wanted)) return wanted;
  const near = nearest(wanted, loopStrategyNames);
  throw new LoopwrightError(
    'strategy.unknown',
    `Unknown strategy "${wanted}". Valid: ${valid}, or the path of a module.`,
    { hint: near === null ? `Use one of ${valid}.` : `Did you mean "${near}"?` },
  );
}

function word(value: unknown): string {
  return typeof value === 'string' ? value : describe(value);
}

function foreignKey(name: string, key: string): LoopwrightError {
  const own = Object.keys(keysOf[name] ?? {});
  const takes = own.length === 0 ? 'it takes no numbers' : `it takes ${own.join(', ')}`;
  const near = allKeys.includes(key) ? null : nearest(key, own);
  return wrong(
    `Strategy ${name}: ${key} does not belong to it; ${takes}.`,
    near === null ? undefined : `Did you mean "${near}"?`,
  );
}

function wrong(message: string, hint?: string): LoopwrightError {
  return new LoopwrightError('strategy.invalid', message, {
    hint: hint ?? 'See the strategies in docs/guide/done.md.',
  });
}

export function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return value === undefined ? 'nothing' : `a ${typeof value}`;
}

import { nearest } from '../text/nearest.ts';
import { isShortForm } from './environment.ts';
import { refuse } from './layers.ts';
import type { Layer } from './merge.ts';
import type { Place } from './place.ts';
import { readScalar, scalars } from './scalars.ts';
import type { Scalar, ScalarType } from './scalars.ts';
import { formatPath, withValue } from './tree.ts';
import type { Tree } from './tree.ts';

/** A flag of `run` that sets one key. */
export type ScalarFlag = {
  /** Without the dashes. */
  readonly flag: string;
  readonly path: string;
  readonly type: ScalarType;
  readonly choices: readonly string[];
  readonly description: string;
};

/** What the command line was given, by flag name. `pass-env` may be repeated. */
export type FlagValues = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** Flags of `run` that are no keys; no key may take their name. */
export const otherRunFlags = [
  'type',
  'file',
  'jobs',
  'limit',
  'in-place',
  'commit',
  'no-commit',
  'verify',
  'no-verify',
  'keep-going',
  'pass-env',
  'new',
  'dry-run',
  'detach',
  'wait',
  'allow-unpriced',
  'attended',
  'json',
  'events',
  'quiet',
  'verbose',
  'help',
  'version',
] as const;

/**
 * Keys whose flag is not simply their last part: that word says too little alone, or belongs to another key.
 * Keys of `strategy` are always written with their section.
 */
const ownNames: Readonly<Record<string, string>> = {
  'validation.command': 'validate',
  'validation.timeout': 'validation-timeout',
  'validation.setup': 'validation-setup',
  'workspace.setup': 'workspace-setup',
  'workspace.dir': 'workspace-dir',
  'progress.strategy': 'progress-strategy',
  'memory.enabled': 'memory',
  'model-strategy.model': 'model',
  'notify.command': 'notify-command',
  'sandbox.memory': 'sandbox-memory',
};

/** The flag of every scalar key, in the order of the schema. */
export function scalarFlags(): readonly ScalarFlag[] {
  return scalars().map(({ path, type, choices, description }) => {
    return { flag: flagName(path), path: formatPath(path), type, choices, description };
  });
}

function flagName(path: readonly string[]): string {
  const own = ownNames[path.join('.')];
  if (own !== undefined) return own;
  if (isShortForm(path)) return path[0] ?? '';
  const [section, scope, key] = path;
  // `budget.run.max-cost-usd` is `--max-run-cost-usd`.
  if (section === 'budget' && scope !== undefined && key !== undefined) {
    return key.replace(/^max-/, `max-${scope}-`);
  }
  return path[0] === 'strategy' ? path.join('-') : (path.at(-1) ?? '');
}

/** The layer of the command line. A name that is no flag of a key is refused. */
export function flagsLayer(values: FlagValues): Layer {
  const given = Object.keys(values);
  const known = new Map(
    given.length === 0 ? [] : scalars().map((scalar) => [flagName(scalar.path), scalar]),
  );
  const unknown = given.filter((flag) => flag !== 'pass-env' && !known.has(flag));
  refuse(unknown.map((flag) => unknownFlag(flag, [...known.keys()])));

  const places = new Map<string, Place>();
  let tree: Tree = {};
  for (const [flag, value] of Object.entries(values)) {
    const path = flag === 'pass-env' ? ['env', '+pass'] : (known.get(flag)?.path ?? []);
    tree = withValue(tree, path, flagValue(known.get(flag), value));
    places.set(formatPath(path).replace('+', ''), { name: `--${flag}` });
  }
  return { name: 'flags', tree, places, source: {} };
}

function flagValue(scalar: Scalar | undefined, value: FlagValues[string]): unknown {
  if (scalar === undefined) return [value].flat();
  return typeof value === 'string' ? readScalar(scalar.type, value) : value;
}

function unknownFlag(flag: string, known: readonly string[]): string {
  const close = nearest(flag, known);
  return `unknown option --${flag}${close === null ? '' : `; did you mean --${close}?`}`;
}

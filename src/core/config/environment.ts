import { isReserved } from '../env/reserved.ts';
import { nearest } from '../text/nearest.ts';
import type { Layer } from './merge.ts';
import type { Place, Warning } from './place.ts';
import { readScalar, scalars } from './scalars.ts';
import type { Scalar } from './scalars.ts';
import { formatPath, withValue } from './tree.ts';
import type { Tree } from './tree.ts';

const prefix = 'LOOPWRIGHT_';

/** `LOOPWRIGHT_LIMITS_MAX_ITERATIONS`; the word of a short form has the name of its section. */
export function variableName({ path }: Pick<Scalar, 'path'>): string {
  const parts = isShortForm(path) ? path.slice(0, 1) : path;
  return prefix + parts.join('_').replaceAll('-', '_').toUpperCase();
}

/**
 * The layer of the environment: every scalar key has a variable. An empty variable says nothing. An unknown
 * `LOOPWRIGHT_*` warns with the nearest name, since it is most likely misspelt.
 */
export function environmentLayer(env: Readonly<Record<string, string | undefined>>): {
  readonly layer: Layer;
  readonly warnings: readonly Warning[];
} {
  const names = Object.keys(env)
    .filter((name) => name.startsWith(prefix) && !isReserved(name))
    .toSorted();
  const known = new Map(
    names.length === 0 ? [] : scalars().map((scalar) => [variableName(scalar), scalar]),
  );
  const places = new Map<string, Place>();
  const warnings: Warning[] = [];
  let tree: Tree = {};
  for (const name of names) {
    const text = env[name];
    const scalar = known.get(name);
    if (scalar === undefined) {
      warnings.push(unknownVariable(name, [...known.keys()]));
    } else if (text !== undefined && text !== '') {
      tree = withValue(tree, scalar.path, readScalar(scalar.type, text));
      places.set(formatPath(scalar.path), { name });
    }
  }
  return { layer: { name: 'env', tree, places, source: {} }, warnings };
}

/** Whether a key is the word of a section that may be written as a bare word. */
export function isShortForm([section, key, ...rest]: readonly string[]): boolean {
  if (rest.length > 0) return false;
  if (section === 'sandbox') return key === 'level';
  return (
    key === 'name' && ['strategy', 'model-strategy', 'mode', 'session'].includes(section ?? '')
  );
}

function unknownVariable(name: string, known: readonly string[]): Warning {
  const close = nearest(name, known);
  const remedy = close === null ? '' : `; did you mean ${close}?`;
  return { code: 'config.unknown_variable', message: `${name} is not a setting${remedy}` };
}

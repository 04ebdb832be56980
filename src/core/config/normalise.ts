import { placeOf } from './merge.ts';
import type { Layer } from './merge.ts';
import { formatPlace } from './place.ts';
import type { Warning } from './place.ts';
import { progressStrategyNames } from '../progress/strategy.ts';
import { isTree, valueAt, withoutValue, withValue } from './tree.ts';
import type { Tree } from './tree.ts';

const aliases = ['strategy', 'max-entries', 'max-chars'] as const;

/** Sections that may be a bare word, and the key that word stands for. */
const shortForms = [
  ['strategy', 'name'],
  ['model-strategy', 'name'],
  ['mode', 'name'],
  ['sandbox', 'level'],
] as const;

/** The layer with old names and short forms written out, so that layers merge key by key. */
export function normaliseLayer(layer: Layer): {
  readonly layer: Layer;
  readonly warnings: readonly Warning[];
} {
  const renamed = renameAliases(layer);
  const known = replaceUnknownProgress(renamed.layer);
  const tree = expandShortForms(expandTypes(known.layer.tree));
  return {
    layer: { ...known.layer, tree },
    warnings: [...renamed.warnings, ...known.warnings],
  };
}

/** `validation.progress-max-chars` and its siblings are the older names of `progress.*`. */
function renameAliases(layer: Layer): { layer: Layer; warnings: readonly Warning[] } {
  const places = new Map(layer.places);
  const warnings: Warning[] = [];
  let tree = layer.tree;
  for (const key of aliases) {
    const old = `progress-${key}`;
    const value = valueAt(tree, ['validation', old]);
    if (value === undefined) continue;
    const place = placeOf(layer, ['validation', old]);
    tree = withoutValue(tree, ['validation', old]);
    if (valueAt(tree, ['progress', key]) === undefined) {
      tree = withValue(tree, ['progress', key], value);
      places.set(`progress.${key}`, place);
    }
    const message = `${formatPlace(place)}\`validation.${old}\` is now \`progress.${key}\``;
    warnings.push({ code: 'config.renamed_key', message });
  }
  return { layer: { ...layer, tree, places }, warnings };
}

function replaceUnknownProgress(layer: Layer): { layer: Layer; warnings: readonly Warning[] } {
  const path = ['progress', 'strategy'];
  const name = valueAt(layer.tree, path);
  if (typeof name !== 'string' || progressStrategyNames.some((known) => known === name)) {
    return { layer, warnings: [] };
  }
  const message =
    `${formatPlace(placeOf(layer, path))}unknown progress strategy ${JSON.stringify(name.slice(0, 64))}; ` +
    `using \`system-captured\` (known: ${progressStrategyNames.join(', ')})`;
  return {
    layer: { ...layer, tree: withValue(layer.tree, path, 'system-captured') },
    warnings: [{ code: 'config.unknown_progress_strategy', message }],
  };
}

function expandTypes(tree: Tree): Tree {
  const types = tree['types'];
  if (!isTree(types)) return tree;
  const entries = Object.entries(types).map(([name, type]): [string, unknown] => [
    name,
    isTree(type) ? expandShortForms(type) : type,
  ]);
  return { ...tree, types: Object.fromEntries(entries) };
}

function expandShortForms(tree: Tree): Tree {
  let expanded = tree;
  for (const [key, tag] of shortForms) {
    if (typeof expanded[key] === 'string')
      expanded = { ...expanded, [key]: { [tag]: expanded[key] } };
  }
  const models = expanded['model-strategy'];
  if (!isTree(models) || models['model'] === undefined || models['name'] !== undefined)
    return expanded;
  return { ...expanded, 'model-strategy': { name: 'fixed', ...models } };
}

import { LoopwrightError } from '../error.ts';
import { flatten, layerNode, overlay, placeOf } from './merge.ts';
import type { Layer, Node } from './merge.ts';
import { normaliseLayer } from './normalise.ts';
import { formatPlace } from './place.ts';
import type { Origin, Problem, Warning } from './place.ts';
import { describeIssues } from './problem.ts';
import { defaultSettings, isPlainMap, parseSettings, Settings, writtenSettings } from './schema.ts';
import { formatPath, isTree, valueAt } from './tree.ts';
import type { Path, Tree } from './tree.ts';

/** Origin of each value by path, as `limits.max-iterations`; a path that is absent has its default. */
export type Origins = ReadonlyMap<string, Origin>;

export type Resolved = {
  readonly settings: Settings;
  readonly origins: Origins;
  readonly warnings: readonly Warning[];
};

const maxProblems = 10;

/**
 * The settings that follow from layers, given weakest first; the defaults are always below them.
 * Throws `config.invalid` with every problem found, up to ten.
 */
export function resolveSettings(layers: readonly Layer[]): Resolved {
  const normalised = layers.map(normaliseLayer);
  const found: string[] = [];
  let merged: Node = layerNode(defaultsLayer()).node;
  let checked: Checked | null = null;
  let given: Tree = {};
  for (const { layer } of normalised) {
    if (Object.keys(layer.tree).length === 0) continue;
    const { node, problems } = layerNode(layer);
    const own = [...problems];
    merged = overlay(merged, node, [], own);
    given = withGiven(given, layer.tree);
    checked = check(merged, given);
    own.push(...checked.problems.filter(({ path }) => isIn(layer, path)));
    found.push(...inFileOrder(own, layer));
  }
  refuse(found);

  // What is left is nobody's alone, such as a key that every layer left out.
  const { problems, origins, settings } = checked ?? check(merged, given);
  refuse(problems.map(({ path, message }) => formatPlace(originOf(origins, path)) + message));
  const warnings = normalised.flatMap((result) => result.warnings);
  return { settings: settings ?? defaultSettings(), origins, warnings };
}

export function originOf(origins: Origins, path: Path): Origin {
  for (let length = path.length; length > 0; length -= 1) {
    const origin = origins.get(formatPath(path.slice(0, length)));
    if (origin !== undefined) return origin;
  }
  return { layer: 'defaults' };
}

function defaultsLayer(): Layer {
  const tree = writtenSettings(defaultSettings());
  return { name: 'defaults', tree, places: new Map(), source: {} };
}

function inFileOrder(problems: readonly Problem[], layer: Layer): readonly string[] {
  return problems
    .map(({ path, message }) => ({ place: placeOf(layer, path), message }))
    .toSorted((a, b) => (a.place.line ?? 0) - (b.place.line ?? 0))
    .map(({ place, message }) => formatPlace(place) + message);
}

type Checked = {
  readonly origins: Origins;
  readonly problems: readonly Problem[];
  /** Null when there are problems. */
  readonly settings: Settings | null;
};

/** Checks what `given` names; nobody can have made a mistake in the rest. */
function check(merged: Node, given: Tree): Checked {
  const { tree, origins } = flatten(merged);
  const parsed = parseSettings(onlyGiven(tree, given));
  if ('settings' in parsed) return { origins, problems: [], settings: parsed.settings };
  return { origins, problems: describeIssues(parsed.issues, tree, Settings()), settings: null };
}

/** Sections and their keys that were written, by this layer or one before. */
function withGiven(given: Tree, written: Tree): Tree {
  const named = Object.entries(written).map(([name, value]): [string, unknown] => {
    const section = name.replace(/^\+/, '');
    const before = given[section];
    const keys = isTree(value)
      ? Object.keys(value).map((key) => [key.replace(/^\+/, ''), true])
      : [];
    return [section, { ...(isTree(before) ? before : {}), ...Object.fromEntries(keys) }];
  });
  return { ...given, ...Object.fromEntries(named) };
}

function onlyGiven(tree: Tree, given: Tree): Tree {
  const asked = Object.entries(tree).flatMap(([name, value]): [string, unknown][] => {
    const keys = given[name];
    if (!isTree(keys)) return [];
    if (!isTree(value) || !isPlainMap(name)) return [[name, value]];
    return [
      [name, Object.fromEntries(Object.entries(value).filter(([key]) => Object.hasOwn(keys, key)))],
    ];
  });
  return Object.fromEntries(asked);
}

/** Whether a layer itself wrote what is at a path. Lists are whole, so what they lack is theirs alone too. */
function isIn(layer: Layer, path: Path): boolean {
  const inList = path.some((part) => typeof part === 'number');
  return path.length === 0 || valueAt(layer.tree, inList ? path.slice(0, -1) : path) !== undefined;
}

/** Throws one error that lists all problems; returns when there are none. */
export function refuse(problems: readonly string[]): void {
  const unique = [...new Set(problems)];
  if (unique.length === 0) return;
  const more = unique.length > maxProblems ? [`(and ${unique.length - maxProblems} more)`] : [];
  throw new LoopwrightError(
    'config.invalid',
    [...unique.slice(0, maxProblems), ...more].join('\n'),
    {
      hint: 'Correct this, then check it with `loopwright config validate`.',
      details: { problems: unique.slice(0, maxProblems) },
    },
  );
}

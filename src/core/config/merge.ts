/**
 * Merging of layers. A layer becomes a node tree whose leaves remember where they come from; a stronger node
 * is laid over a weaker one; the result is flattened to a plain tree and a map of origins.
 */
import { problemAt } from './place.ts';
import type { LayerName, Origin, Place, Problem } from './place.ts';
import { formatPath, isTree } from './tree.ts';
import type { Path, Tree } from './tree.ts';

/** One source of configuration, as written. `places` is keyed by `formatPath`; `source` is the whole of it. */
export type Layer = {
  readonly name: LayerName;
  readonly tree: Tree;
  readonly places: ReadonlyMap<string, Place>;
  readonly source: Place;
};

/** `append` marks a list that still waits for the list it is added to. */
type Leaf = { readonly value: unknown; readonly origin: Origin; readonly append: boolean };
export type Node = Leaf | { readonly entries: ReadonlyMap<string, Node> };

/** Deeper maps and lists than this are refused: nothing in the schema needs them. */
const maxDepth = 32;

/** More keys in a map, or values in a list, than any person writes. */
const maxNodes = 5000;

export function layerNode(layer: Layer): {
  readonly node: Node;
  readonly problems: readonly Problem[];
} {
  const problems: Problem[] = [];
  return { node: mapNode(layer.tree, [], layer, problems), problems };
}

/** The place of a path, or of the nearest thing around it that has one. */
export function placeOf(layer: Layer, path: Path): Place {
  for (let length = path.length; length > 0; length -= 1) {
    const place = layer.places.get(formatPath(path.slice(0, length)));
    if (place !== undefined) return place;
  }
  return layer.source;
}

function mapNode(tree: Tree, path: Path, layer: Layer, problems: Problem[]): Node {
  const entries = new Map<string, Node>();
  if (Object.keys(tree).length > maxNodes) {
    problems.push(problemAt(path, `has more than ${maxNodes} keys`));
    return { entries };
  }
  const appended: [string, Leaf][] = [];
  for (const [key, value] of Object.entries(tree)) {
    const name = key.startsWith('+') ? key.slice(1) : key;
    const here = [...path, name];
    if (name === '__proto__' || here.length > maxDepth) {
      const reason = name === '__proto__' ? 'is not a key' : 'is nested too deeply';
      problems.push(problemAt(here, reason));
    } else if (name === key) {
      entries.set(key, valueNode(value, here, layer, problems));
    } else if (Array.isArray(value)) {
      appended.push([name, leaf(value, here, layer, problems)]);
    } else {
      problems.push(problemAt(here, `\`${key}\` appends to a list, so it must be a list`));
    }
  }
  for (const [name, node] of appended) {
    const here = [...path, name];
    entries.set(name, overlay(entries.get(name), { ...node, append: true }, here, problems));
  }
  return { entries };
}

function valueNode(value: unknown, path: Path, layer: Layer, problems: Problem[]): Node {
  return isTree(value) ? mapNode(value, path, layer, problems) : leaf(value, path, layer, problems);
}

function leaf(value: unknown, path: Path, layer: Layer, problems: Problem[]): Leaf {
  const reason = excess(value);
  if (reason !== null) {
    problems.push(problemAt(path, reason));
    return { value: [], origin: originAt(layer, path), append: false };
  }
  return { value, origin: originAt(layer, path), append: false };
}

function originAt(layer: Layer, path: Path): Origin {
  return { layer: layer.name, ...placeOf(layer, path) };
}

/** The stronger node over the weaker one: maps merge, everything else replaces, `+` appends. */
export function overlay(
  below: Node | undefined,
  above: Node,
  path: Path,
  problems: Problem[],
): Node {
  if (below === undefined) return above;
  if ('entries' in above) {
    return 'entries' in below && !choosesAnother(below, above, path)
      ? { entries: overlayEntries(below.entries, above.entries, path, problems) }
      : above;
  }
  if ('entries' in below) {
    // `limits:` with every key commented out reads as null; it means "nothing said", not "no limits".
    if (above.value === null) return below;
    if (above.append) problems.push(problemAt(path, 'is a map; `+` appends to lists'));
    return above;
  }
  if (!above.append) return above;
  if (!Array.isArray(below.value) || !Array.isArray(above.value)) {
    problems.push(problemAt(path, 'is not a list; `+` appends to lists'));
    return below;
  }
  return { value: [...below.value, ...above.value], origin: above.origin, append: below.append };
}

function overlayEntries(
  below: ReadonlyMap<string, Node>,
  above: ReadonlyMap<string, Node>,
  path: Path,
  problems: Problem[],
): ReadonlyMap<string, Node> {
  const entries = new Map(below);
  for (const [key, node] of above) {
    entries.set(key, overlay(below.get(key), node, [...path, key], problems));
  }
  return entries;
}

/** A strategy of another name keeps nothing of the weaker one: its numbers belong to that name. */
function choosesAnother(below: Node, above: Node, path: Path): boolean {
  const last = path.at(-1);
  if (last !== 'strategy' && last !== 'model-strategy') return false;
  const name = nameIn(above);
  return name !== undefined && name !== nameIn(below);
}

function nameIn(node: Node): unknown {
  const name = 'entries' in node ? node.entries.get('name') : undefined;
  return name !== undefined && 'value' in name ? name.value : undefined;
}

/** The plain tree and the origin of each of its leaves, by path. */
export function flatten(node: Node): {
  readonly tree: Tree;
  readonly origins: ReadonlyMap<string, Origin>;
} {
  const origins = new Map<string, Origin>();
  const tree = flattenNode(node, [], origins);
  return { tree: isTree(tree) ? tree : {}, origins };
}

function flattenNode(node: Node, path: Path, origins: Map<string, Origin>): unknown {
  if (!('entries' in node)) {
    origins.set(formatPath(path), node.origin);
    return node.value;
  }
  return Object.fromEntries(
    [...node.entries].map(([key, child]) => {
      // A loop type appends to the type it extends, which is not known here: the mark stays.
      const waits = path[0] === 'types' && 'append' in child && child.append;
      return [waits ? `+${key}` : key, flattenNode(child, [...path, key], origins)];
    }),
  );
}

/** Why a list is refused unread; null when it is of a sensible size. */
function excess(value: unknown): string | null {
  let nodes = 0;
  return inspect(value, 0);

  function inspect(part: unknown, level: number): string | null {
    nodes += 1;
    if (level > maxDepth) return 'is nested too deeply';
    if (nodes > maxNodes) return `has more than ${maxNodes} values`;
    if (typeof part !== 'object' || part === null) return null;
    for (const inner of Object.values(part)) {
      const reason = inspect(inner, level + 1);
      if (reason !== null) return reason;
    }
    return null;
  }
}

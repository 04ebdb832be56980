/** Configuration as it was written, before any schema has looked at it. */
export type Tree = { readonly [key: string]: unknown };

export type Path = readonly (string | number)[];

export function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `limits.max-iterations`, `stop[0].value`, `prices["gpt-4.1"].input`: one text per path. */
export function formatPath(path: Path): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else if (!/^[^."[\]\s]+$/.test(part)) text += `[${JSON.stringify(part)}]`;
    else text += text === '' ? part : `.${part}`;
  }
  return text;
}

/** The value at a path; undefined when there is none. Own keys only. */
export function valueAt(tree: unknown, path: Path): unknown {
  let value = tree;
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part))
      return undefined;
    value = Reflect.get(value, part);
  }
  return value;
}

/** A copy of the tree with one value set, maps on the way made where they are missing. */
export function withValue(tree: Tree, path: readonly string[], value: unknown): Tree {
  const [key, ...rest] = path;
  if (key === undefined) return tree;
  const below = tree[key];
  const next = rest.length === 0 ? value : withValue(isTree(below) ? below : {}, rest, value);
  return { ...tree, [key]: next };
}

/** A copy of the tree without one value. */
export function withoutValue(tree: Tree, path: readonly string[]): Tree {
  const [key, ...rest] = path;
  if (key === undefined || !Object.hasOwn(tree, key)) return tree;
  const { [key]: below, ...others } = tree;
  if (rest.length === 0) return others;
  return isTree(below) ? { ...tree, [key]: withoutValue(below, rest) } : tree;
}

/** A parsed manifest, or a part of one. */
export type Table = Readonly<Record<string, unknown>>;

/** Whose a key is: the base's, the loop's, or the loop's and a dependency, which is listed when it changes. */
export type Share = 'judge' | 'product' | 'dependencies';

/** Decides by the values, where the name of the key alone does not tell. */
export type ShareOf = (key: string, base: unknown, loop: unknown, judges: Judges) => Share;

/** Whether a package of that name judges: a runner, or something that the base's tests use. */
export type Judges = (name: string) => boolean;

/**
 * Whose the keys of a table are. `*` stands for keys that are not named and is `judge` when absent; the empty key says
 * it for a value that is no table.
 */
export type Shares = { readonly [key: string]: Share | ShareOf | Shares };

export type Merged = {
  readonly table: Table;
  /** Dotted keys of the judge's part that differed. */
  readonly restored: readonly string[];
  readonly dependencies: boolean;
};

type Found = { readonly restored: string[]; dependencies: boolean; readonly judges: Judges };

/** The loop's table with every key of the judge as on the base. Keys keep the loop's order; those put back come last. */
export function mergeTables(base: Table, loop: Table, shares: Shares, judges: Judges): Merged {
  const found: Found = { restored: [], dependencies: false, judges };
  const table = merge(base, loop, shares, [], found);
  return { table, restored: found.restored, dependencies: found.dependencies };
}

function merge(
  base: Table,
  loop: Table,
  shares: Shares,
  path: readonly string[],
  found: Found,
): Table {
  const keys = [...new Set([...Object.keys(loop), ...Object.keys(base)])];
  const entries = keys.flatMap((key): [string, unknown][] => {
    const value = mergeKey(own(base, key), own(loop, key), shareOf(shares, key), [...path, key]);
    return value === undefined ? [] : [[key, value]];
  });
  return Object.fromEntries(entries);

  function mergeKey(
    before: unknown,
    after: unknown,
    share: Share | ShareOf | Shares,
    at: readonly string[],
  ): unknown {
    if (typeof share === 'object') {
      const tables = bothTables(before, after);
      if (tables === null) return mergeKey(before, after, own(share, '') ?? 'judge', at);
      const inner = merge(tables[0], tables[1], share, at, found);
      // A table of which nothing is left is away, unless it was empty before.
      const isLeft = Object.keys(inner).length > 0 || Object.keys(tables[1]).length === 0;
      return isTable(after) ? (isLeft || isTable(before) ? inner : undefined) : nonEmpty(inner);
    }
    const name = at.at(-1) ?? '';
    const whose = typeof share === 'function' ? share(name, before, after, found.judges) : share;
    const isSame = isEqual(before, after);
    if (whose === 'judge') {
      if (!isSame) found.restored.push(at.join('.'));
      return before;
    }
    if (whose === 'dependencies' && !isSame) found.dependencies = true;
    return after;
  }
}

function nonEmpty(table: Table): Table | undefined {
  return Object.keys(table).length === 0 ? undefined : table;
}

function shareOf(shares: Shares, key: string): Share | ShareOf | Shares {
  return own(shares, key === '' ? '*' : key) ?? own(shares, '*') ?? 'judge';
}

function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

/** Both sides as tables; an absent one is empty. Null when one of them is something else. */
function bothTables(before: unknown, after: unknown): readonly [Table, Table] | null {
  const [first, second] = [before ?? {}, after ?? {}];
  return isTable(first) && isTable(second) ? [first, second] : null;
}

export function isTable(value: unknown): value is Table {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    // Dates of TOML are objects with a prototype of their own.
    (Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null)
  );
}

/** Deep equality of parsed values; the order of keys does not count. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((each, index) => isEqual(each, b[index]));
  }
  if (isTable(a) && isTable(b)) {
    const keys = Object.keys(a);
    return (
      keys.length === Object.keys(b).length &&
      keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key]))
    );
  }
  const areDates = typeof a === 'object' && typeof b === 'object' && a !== null && b !== null;
  return areDates && !Array.isArray(a) && !isTable(a) && JSON.stringify(a) === JSON.stringify(b);
}

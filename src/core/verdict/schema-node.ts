/** A JSON Schema as an object. */
export type Node = Readonly<Record<string, unknown>>;

/** Problems of a value with a schema; `at` is where the value is, dotted. */
export type Visit = (node: unknown, at: string, value: unknown, depth: number) => readonly string[];

/** One schema at one value, on the way down. */
export type Spot = {
  readonly node: Node;
  readonly at: string;
  readonly value: unknown;
  readonly depth: number;
  readonly visit: Visit;
};

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A fault of the schema itself. */
export function refused(why: string): string {
  return `the schema cannot be used: ${why}`;
}

export function problem(at: string, text: string): string {
  return `${at === '' ? 'the value' : at} ${text}`;
}

export function below(at: string, key: string | number): string {
  return at === '' ? String(key) : `${at}.${key}`;
}

/** Every keyword with a number whose rule does not hold. */
export function limitProblems(
  { node, at }: Spot,
  rules: readonly (readonly [keyword: string, holds: (limit: number) => boolean])[],
): readonly string[] {
  return rules.flatMap(([keyword, holds]) => {
    const limit = node[keyword];
    if (limit === undefined) return [];
    if (typeof limit !== 'number') return [refused(`${keyword} is no number`)];
    return holds(limit) ? [] : [problem(at, `breaks ${keyword} ${limit}`)];
  });
}

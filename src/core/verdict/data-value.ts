/** The value at a dotted path of parsed JSON or YAML (`exports.0.name`); undefined when there is none. */
export function fieldAt(data: unknown, field: string): unknown {
  return field.split('.').reduce<unknown>((value, key) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    const found: unknown = Reflect.get(value, key);
    return found;
  }, data);
}

type DataType = 'string' | 'number' | 'boolean' | 'array' | 'object' | 'null';

export function typeOf(value: unknown): DataType | 'nothing' {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return type === 'string' || type === 'number' || type === 'boolean' ? type : 'object';
}

/** Equal as JSON: the order of keys does not matter, that of items does. */
export function isSameData(a: unknown, b: unknown): boolean {
  return canonical(a) === canonical(b);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}

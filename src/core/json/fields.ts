/** Looks into foreign JSON. Total: what is missing or of another kind is empty, null or false. */
export type Json = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object a line of JSON holds; null for everything else. */
export function readObject(line: string): Json | null {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : null;
  } catch {
    // Half a line, or no JSON at all: not an object.
    return null;
  }
}

export function fieldAt(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

export function objectAt(value: unknown, key: string): Json {
  const found = fieldAt(value, key);
  return isObject(found) ? found : {};
}

export function listAt(value: unknown, key: string): readonly unknown[] {
  const found = fieldAt(value, key);
  return Array.isArray(found) ? found : [];
}

export function textAt(value: unknown, key: string): string {
  const found = fieldAt(value, key);
  return typeof found === 'string' ? found : '';
}

export function numberAt(value: unknown, key: string): number | null {
  const found = fieldAt(value, key);
  return typeof found === 'number' && Number.isFinite(found) ? found : null;
}

/** A number of things: never negative, whole, and 0 when it is missing. */
export function countAt(value: unknown, key: string): number {
  return Math.max(0, Math.trunc(numberAt(value, key) ?? 0));
}

export function flagAt(value: unknown, key: string): boolean {
  return fieldAt(value, key) === true;
}

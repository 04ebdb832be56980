/** Looking deep into JSON of which nothing is known. */
import { fieldAt } from '../../../core/json/fields.ts';

export function valueAt(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>((found, name) => fieldAt(found, name), value);
}

export function textAt(value: unknown, ...names: readonly string[]): string | null {
  const found = valueAt(value, ...names);
  return typeof found === 'string' ? found : null;
}

/** Finite numbers only. */
export function numberAt(value: unknown, ...names: readonly string[]): number | null {
  const found = valueAt(value, ...names);
  return typeof found === 'number' && Number.isFinite(found) ? found : null;
}

export function listAt(value: unknown, ...names: readonly string[]): readonly unknown[] {
  const found = valueAt(value, ...names);
  return Array.isArray(found) ? found : [];
}

import { forms, inputJsonSchema } from './json-schema.ts';
import { Settings } from './schema.ts';
import { isTree } from './tree.ts';
import type { Tree } from './tree.ts';

export const scalarTypes = ['text', 'number', 'boolean', 'duration', 'bytes', 'choice'] as const;
export type ScalarType = (typeof scalarTypes)[number];

/** A key whose value is one word or number, so that a variable or a flag can set it. */
export type Scalar = {
  readonly path: readonly string[];
  readonly type: ScalarType;
  /** The valid words of a `choice`; empty otherwise. */
  readonly choices: readonly string[];
  readonly description: string;
};

/** Every scalar of the schema, in its order. Keys that users invent, and lists, have none. */
export function scalars(): readonly Scalar[] {
  const root = inputJsonSchema(Settings);
  return collect(root, [], root);
}

function collect(node: Tree, path: readonly string[], root: Tree): readonly Scalar[] {
  const alternatives = forms(node, root);
  const maps = alternatives.map((form) => form['properties']).filter(isTree);
  if (maps.length > 0) {
    return maps.flatMap((map) =>
      Object.entries(map).flatMap(([key, child]) =>
        isTree(child) ? collect(child, [...path, key], root) : [],
      ),
    );
  }
  const type = scalarType(alternatives);
  if (type === null) return [];
  const choices = alternatives.map((form) => form['enum']).find(Array.isArray) ?? [];
  return [{ path, type, choices: choices.map(String), description: String(node['description']) }];
}

function scalarType(alternatives: readonly Tree[]): ScalarType | null {
  const has = (key: string, ...values: string[]): boolean =>
    alternatives.some((form) => values.some((value) => form[key] === value));
  if (has('type', 'array', 'object')) return null;
  if (has('x-kind', 'duration')) return 'duration';
  if (has('x-kind', 'bytes')) return 'bytes';
  if (alternatives.some((form) => form['enum'] !== undefined)) return 'choice';
  if (has('type', 'boolean')) return 'boolean';
  if (has('type', 'number', 'integer')) return 'number';
  return has('type', 'string') ? 'text' : null;
}

const words = new Map([
  ['true', true],
  ['on', true],
  ['false', false],
  ['off', false],
]);

/**
 * The value that a variable or flag means. What cannot be read stays text, and the schema then says what was
 * expected: the text "false" never becomes true.
 */
export function readScalar(type: ScalarType, text: string): string | number | boolean {
  if (type === 'boolean') return words.get(text) ?? text;
  if (type === 'number') return /^\d{1,15}(?:\.\d{1,15})?$/.test(text) ? Number(text) : text;
  return (type === 'duration' || type === 'bytes') && text === '0' ? 0 : text;
}

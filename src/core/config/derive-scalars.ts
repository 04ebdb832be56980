import { forms, inputJsonSchema } from './json-schema.ts';
import type { Scalar, ScalarType } from './scalars.ts';
import { Settings } from './schema.ts';
import { isTree } from './tree.ts';
import type { Tree } from './tree.ts';

/**
 * Every scalar, read off the schema. Too slow for every start of the program: `npm run docs` writes the answer into
 * `scalar-table.ts`, and a test fails when that is stale.
 */
export function deriveScalars(): readonly Scalar[] {
  const root = inputJsonSchema(Settings());
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

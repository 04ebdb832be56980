import { z } from 'zod';
import { derivedDefaults, Settings } from './schema.ts';
import { isTree, valueAt } from './tree.ts';
import type { Path, Tree } from './tree.ts';
import { shortFormOf } from './value.ts';

/** The JSON Schema of what a person writes in `loopwright.yml`; editors complete and check with it. */
export function configJsonSchema(): Tree {
  const schema = inputJsonSchema(Settings());
  const documented = withDefaults(schema, [], derivedDefaults().written);
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Loopwright configuration',
    ...withAppendKeys(withAliases(documented)),
  };
}

/** Schemas never change, and the walk over the largest takes milliseconds. */
const made = new WeakMap<z.ZodType, Tree>();

/** The JSON Schema of a schema's written form, short forms included. Own markers start with `x-`. */
export function inputJsonSchema(schema: z.ZodType): Tree {
  const jsonSchema = made.get(schema) ?? makeInputJsonSchema(schema);
  made.set(schema, jsonSchema);
  return jsonSchema;
}

function makeInputJsonSchema(schema: z.ZodType): Tree {
  const { $schema: _version, ...body } = z.toJSONSchema(schema, {
    io: 'input',
    target: 'draft-7',
    override: ({ zodSchema, jsonSchema }) => {
      const form = shortFormOf(zodSchema);
      if (form !== undefined) {
        Object.assign(jsonSchema, { anyOf: [form.short, inputJsonSchema(form.full)] });
      }
    },
  });
  return body;
}

/**
 * The keys a map at this path may have, over all its forms; empty when any key may be written. With the `value` that was written,
 * forms that it contradicts (another `on`) do not count.
 */
export function keysAt(schema: z.ZodType, path: Path, value?: unknown): readonly string[] {
  const root = inputJsonSchema(schema);
  let nodes = forms(root, root);
  for (const part of path) {
    nodes = nodes.flatMap((node) => children(node, part)).flatMap((node) => forms(node, root));
  }
  const maps = nodes.map((node) => node['properties']).filter(isTree);
  const fitting = maps.filter((properties) => !isContradicted(properties, value));
  const keys = (fitting.length === 0 ? maps : fitting).flatMap((each) => Object.keys(each));
  return [...new Set(keys)];
}

function isContradicted(properties: Tree, value: unknown): boolean {
  if (!isTree(value)) return false;
  return Object.entries(properties).some(([key, child]) => {
    const fixed = isTree(child) ? child['const'] : undefined;
    return fixed !== undefined && value[key] !== fixed;
  });
}

/** A schema node and the alternatives inside it, references followed. */
export function forms(node: Tree, root: Tree): readonly Tree[] {
  const reference = node['$ref'];
  if (typeof reference === 'string') {
    const target = valueAt(root, reference.replace(/^#\/?/, '').split('/').filter(Boolean));
    return isTree(target) ? forms(target, root) : [];
  }
  const alternatives = [node['anyOf'], node['oneOf']].flat().filter(isTree);
  return [node, ...alternatives.flatMap((alternative) => forms(alternative, root))];
}

function children(node: Tree, part: string | number): readonly Tree[] {
  if (typeof part === 'number') return isTree(node['items']) ? [node['items']] : [];
  const properties = node['properties'];
  const property = isTree(properties) ? properties[part] : undefined;
  return [property ?? node['additionalProperties']].filter(isTree);
}

/** Defaults of durations and short forms, which zod knows only in their parsed form. */
function withDefaults(node: Tree, path: readonly string[], defaults: Tree): Tree {
  const properties = node['properties'];
  if (isTree(properties)) {
    const entries = Object.entries(properties).map(([key, child]): [string, unknown] => [
      key,
      isTree(child) ? withDefaults(child, [...path, key], defaults) : child,
    ]);
    const { default: _prefault, ...rest } = node;
    return { ...rest, properties: Object.fromEntries(entries) };
  }
  const value = valueAt(defaults, path);
  return value === undefined || node['default'] !== undefined ? node : { ...node, default: value };
}

function withAliases(schema: Tree): Tree {
  const properties = valueAt(schema, ['properties']);
  const validation = valueAt(schema, ['properties', 'validation']);
  const progress = valueAt(schema, ['properties', 'progress', 'properties']);
  if (!isTree(properties) || !isTree(validation) || !isTree(progress)) return schema;
  const aliases = Object.entries(progress).map(([key, child]): [string, unknown] => [
    `progress-${key}`,
    { ...(isTree(child) ? child : {}), deprecated: true },
  ]);
  const known = isTree(validation['properties']) ? validation['properties'] : {};
  return {
    ...schema,
    properties: {
      ...properties,
      validation: { ...validation, properties: { ...known, ...Object.fromEntries(aliases) } },
    },
  };
}

/** Every list in a map may also be appended to: `+name` beside `name`. Lists inside lists are whole. */
function withAppendKeys(node: Tree): Tree {
  const entries = Object.entries(node).map(([key, value]): [string, unknown] => {
    if (key === 'properties' && isTree(value)) return [key, withAppendProperties(value)];
    if (key === 'additionalProperties' && isTree(value)) return [key, withAppendKeys(value)];
    if (key !== 'anyOf' || !Array.isArray(value)) return [key, value];
    return [key, value.map((form) => (isTree(form) ? withAppendKeys(form) : form))];
  });
  return Object.fromEntries(entries);
}

function withAppendProperties(properties: Tree): Tree {
  const entries = Object.entries(properties).flatMap(([key, child]): [string, unknown][] => {
    // A loop type has its own append keys, which reach into the type it extends.
    if (!isTree(child) || key === 'types') return [[key, child]];
    const own: [string, unknown] = [key, withAppendKeys(child)];
    if (child['type'] !== 'array') return [own];
    const { default: _replaced, ...list } = withAppendKeys(child);
    return [
      own,
      [`+${key}`, { ...list, description: `Added to \`${key}\` of the weaker layers.` }],
    ];
  });
  return Object.fromEntries(entries);
}

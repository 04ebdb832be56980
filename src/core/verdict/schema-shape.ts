import { isSameData } from './data-value.ts';
import { below, isNode, limitProblems, problem, refused, type Spot } from './schema-node.ts';

/** What a JSON Schema says about the fields of an object. */
export function objectProblems(spot: Spot): readonly string[] {
  const { node, at, value } = spot;
  if (!isNode(value)) return [];
  const names = Object.keys(value);
  const { required, dependentRequired } = node;
  if (required !== undefined && !Array.isArray(required)) return [refused('required is no list')];
  const wanted: readonly unknown[] = [...(required ?? []), ...dependents(dependentRequired, names)];
  return [
    ...wanted.flatMap((name) =>
      names.includes(String(name)) ? [] : [problem(at, `has no field ${String(name)}`)],
    ),
    ...limitProblems(spot, [
      ['minProperties', (limit) => names.length >= limit],
      ['maxProperties', (limit) => names.length <= limit],
    ]),
    ...names.flatMap((name) => fieldProblems(spot, name, value[name])),
  ];
}

function dependents(rules: unknown, names: readonly string[]): readonly unknown[] {
  if (!isNode(rules)) return [];
  return Object.entries(rules).flatMap(([name, more]): readonly unknown[] =>
    names.includes(name) && Array.isArray(more) ? more : [],
  );
}

function fieldProblems(spot: Spot, name: string, value: unknown): readonly string[] {
  const { node, at, depth, visit } = spot;
  const { properties, patternProperties, additionalProperties, propertyNames } = node;
  const schemas: unknown[] = [];
  if (isNode(properties) && Object.hasOwn(properties, name)) schemas.push(properties[name]);
  if (isNode(patternProperties)) {
    for (const [pattern, schema] of Object.entries(patternProperties)) {
      if (new RegExp(pattern, 'u').test(name)) schemas.push(schema);
    }
  }
  if (schemas.length === 0 && additionalProperties !== undefined)
    schemas.push(additionalProperties);
  return [
    ...(propertyNames === undefined ? [] : visit(propertyNames, `the name ${name}`, name, depth)),
    ...schemas.flatMap((schema) => visit(schema, below(at, name), value, depth)),
  ];
}

/** What a JSON Schema says about the items of a list. A list under `items` is the older way to write `prefixItems`. */
export function arrayProblems(spot: Spot): readonly string[] {
  const { node, at, value, depth, visit } = spot;
  if (!Array.isArray(value)) return [];
  const items: readonly unknown[] = value;
  const first = Array.isArray(node['items']) ? node['items'] : node['prefixItems'];
  const prefix: readonly unknown[] = Array.isArray(first) ? first : [];
  const rest = Array.isArray(node['items']) ? undefined : node['items'];
  const { contains, uniqueItems } = node;
  return [
    ...limitProblems(spot, [
      ['minItems', (limit) => items.length >= limit],
      ['maxItems', (limit) => items.length <= limit],
    ]),
    ...items.flatMap((item, index) => {
      const schema = index < prefix.length ? prefix[index] : rest;
      return schema === undefined ? [] : visit(schema, below(at, index), item, depth);
    }),
    ...(uniqueItems === true && hasTwins(items) ? [problem(at, 'has equal items')] : []),
    ...(contains === undefined ||
    items.some((item) => visit(contains, at, item, depth).length === 0)
      ? []
      : [problem(at, 'has no item of the kind it must contain')]),
  ];
}

function hasTwins(items: readonly unknown[]): boolean {
  return items.some((item, index) => items.slice(0, index).some((each) => isSameData(each, item)));
}

import { countChars } from '../text/code-points.ts';
import { isSameData, typeOf } from './data-value.ts';
import { groupProblems } from './schema-group.ts';
import { arrayProblems, objectProblems } from './schema-shape.ts';
import { isNode, limitProblems, problem, refused, type Spot, type Visit } from './schema-node.ts';

const shownProblems = 10;
const maxDepth = 100;

/** Says something about a value without asserting anything. */
const annotations: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  '$comment',
  '$defs',
  'definitions',
  'title',
  'description',
  'default',
  'examples',
  'format',
  'deprecated',
  'readOnly',
  'writeOnly',
  'contentEncoding',
  'contentMediaType',
]);

const assertions: ReadonlySet<string> = new Set([
  '$ref',
  'type',
  'enum',
  'const',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'properties',
  'required',
  'additionalProperties',
  'patternProperties',
  'propertyNames',
  'minProperties',
  'maxProperties',
  'dependentRequired',
  'items',
  'prefixItems',
  'minItems',
  'maxItems',
  'uniqueItems',
  'contains',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
]);

/**
 * What keeps a value from satisfying a JSON Schema (2020-12), at most ten lines; empty when it does. A keyword that is
 * not carried out is a problem of the schema, never a pass. `format` is an annotation, as the standard has it.
 */
export function schemaProblems(schema: unknown, value: unknown): readonly string[] {
  const visit: Visit = (node, at, each, depth) => problemsAt(schema, node, at, each, depth, visit);
  try {
    return visit(schema, '', value, 0).slice(0, shownProblems);
  } catch (error) {
    // A pattern or a reference that is no such thing can say so only by throwing.
    return [refused(error instanceof Error ? error.message : String(error))];
  }
}

function problemsAt(
  root: unknown,
  node: unknown,
  at: string,
  value: unknown,
  depth: number,
  visit: Visit,
): readonly string[] {
  if (node === true) return [];
  if (node === false) return [problem(at, 'is not allowed')];
  if (!isNode(node)) return [refused('it is neither an object nor a boolean')];
  if (depth > maxDepth) return [refused('it nests too deeply')];
  const unknown = Object.keys(node).find((key) => !assertions.has(key) && !annotations.has(key));
  if (unknown !== undefined) return [refused(`the keyword ${unknown} is not supported`)];
  const spot: Spot = { node, at, value, depth: depth + 1, visit };
  return [
    ...refProblems(root, spot),
    ...valueProblems(spot),
    ...numberProblems(spot),
    ...textProblems(spot),
    ...objectProblems(spot),
    ...arrayProblems(spot),
    ...groupProblems(spot),
  ];
}

/** `#` and `#/$defs/name` only: nothing is fetched. */
function refProblems(root: unknown, { node, at, value, depth, visit }: Spot): readonly string[] {
  const ref = node['$ref'];
  if (ref === undefined) return [];
  if (typeof ref !== 'string' || !(ref === '#' || ref.startsWith('#/'))) {
    return [refused(`the reference ${JSON.stringify(ref)} does not point into the schema itself`)];
  }
  const found = ref
    .split('/')
    .slice(1)
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>(
      (inner, part) =>
        typeof inner === 'object' && inner !== null && Object.hasOwn(inner, part)
          ? Reflect.get(inner, part)
          : undefined,
      root,
    );
  if (found === undefined) return [refused(`the reference ${ref} points nowhere`)];
  return visit(found, at, value, depth);
}

function valueProblems({ node, at, value }: Spot): readonly string[] {
  const problems: string[] = [];
  const { type, enum: choices } = node;
  if (type !== undefined) {
    const types: readonly unknown[] = Array.isArray(type) ? type : [type];
    if (!types.some((each) => isOfType(each, value))) {
      problems.push(problem(at, `is ${typeOf(value)}, not ${types.join(' or ')}`));
    }
  }
  if (Array.isArray(choices) && !choices.some((each) => isSameData(each, value))) {
    problems.push(problem(at, `is none of ${JSON.stringify(choices).slice(0, 200)}`));
  }
  if (Object.hasOwn(node, 'const') && !isSameData(node['const'], value)) {
    problems.push(problem(at, `is not ${JSON.stringify(node['const']).slice(0, 200)}`));
  }
  return problems;
}

function isOfType(type: unknown, value: unknown): boolean {
  return type === 'integer' ? Number.isInteger(value) : type === typeOf(value);
}

function numberProblems(spot: Spot): readonly string[] {
  const { value } = spot;
  if (typeof value !== 'number') return [];
  const rules: readonly (readonly [string, (limit: number) => boolean])[] = [
    ['minimum', (limit) => value >= limit],
    ['maximum', (limit) => value <= limit],
    ['exclusiveMinimum', (limit) => value > limit],
    ['exclusiveMaximum', (limit) => value < limit],
    ['multipleOf', (limit) => Number.isInteger(value / limit)],
  ];
  return limitProblems(spot, rules);
}

function textProblems(spot: Spot): readonly string[] {
  const { node, at, value } = spot;
  if (typeof value !== 'string') return [];
  const length = countChars(value);
  const problems = limitProblems(spot, [
    ['minLength', (limit) => length >= limit],
    ['maxLength', (limit) => length <= limit],
  ]);
  const { pattern } = node;
  if (pattern === undefined) return problems;
  if (typeof pattern !== 'string') return [refused('pattern is no text')];
  // The caller gives all of this a time limit.
  return new RegExp(pattern, 'u').test(value)
    ? problems
    : [...problems, problem(at, `does not match ${pattern}`)];
}

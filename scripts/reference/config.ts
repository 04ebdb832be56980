import { scalarFlags } from '../../src/core/config/flags.ts';
import { configJsonSchema, forms } from '../../src/core/config/json-schema.ts';
import { isTree, type Tree } from '../../src/core/config/tree.ts';
import { generatedNote, table } from './markdown.ts';

const deepest = 5;

function textAt(node: Tree, key: string): string {
  const value = node[key];
  return typeof value === 'string' ? value : '';
}

export function renderConfigReference(): string {
  const schema = configJsonSchema();
  const properties = isTree(schema['properties']) ? schema['properties'] : {};
  const sections = Object.entries(properties).flatMap(([name, node]) =>
    isTree(node) && !name.startsWith('+') ? [renderSection(name, node, schema)] : [],
  );
  return `${[
    generatedNote,
    '# Configuration',
    '`loopwright.yml` in the repository, `config.yml` in the user folder (`$LOOPWRIGHT_HOME`, else the platform’s configuration folder). ' +
      'Weakest first: defaults, user file, repository file, environment (`LOOPWRIGHT_SECTION_KEY`), flags. ' +
      'Lists replace those of weaker layers; a key written `+name` appends. Durations are written `90s`, `30m`, `4h`; sizes `10MB`. ' +
      '`loopwright config schema` prints the JSON Schema, `loopwright config show --origin` where each value comes from.',
    ...sections,
  ].join('\n\n')}\n`;
}

type Row = readonly string[];

function renderSection(name: string, node: Tree, root: Tree): string {
  const rows = collect(node, name, root, 0);
  const description = textAt(node, 'description');
  return [`## ${name}`, description, table(['key', 'value', 'default', 'flag', ''], rows)].join(
    '\n\n',
  );
}

/** One row per key that holds a value; maps are gone through, users' own names are written NAME. */
function collect(node: Tree, path: string, root: Tree, depth: number): readonly Row[] {
  if (depth > deepest) return [];
  const alternatives = forms(node, root);
  const below = alternatives.flatMap((form) => childrenOf(form, path));
  const seen = Map.groupBy(below, ([child]) => child);
  const rows = [...seen].flatMap(([child, found]) =>
    collect(oneOf(found.map(([, childNode]) => childNode)), child, root, depth + 1),
  );
  const own = row(node, path, alternatives);
  return own === null ? rows : [own, ...rows];
}

/** A key that several forms of a map have, each in its own way. */
function oneOf(nodes: readonly Tree[]): Tree {
  const [first = {}] = nodes;
  const texts = new Set(nodes.map((node) => JSON.stringify(node)));
  if (texts.size === 1) return first;
  const descriptions = [...new Set(nodes.map((node) => textAt(node, 'description')))];
  const defaults = new Set(nodes.map((node) => JSON.stringify(node['default'])));
  return {
    anyOf: nodes,
    description: descriptions.filter((text) => text !== '').join(' '),
    ...(defaults.size === 1 && first['default'] !== undefined ? { default: first['default'] } : {}),
  };
}

function childrenOf(form: Tree, path: string): readonly (readonly [string, Tree])[] {
  const children: (readonly [string, Tree])[] = [];
  if (isTree(form['properties'])) {
    for (const [key, child] of Object.entries(form['properties'])) {
      const isAlias = isTree(child) && child['deprecated'] === true;
      if (isTree(child) && !key.startsWith('+') && !isAlias)
        children.push([`${path}.${key}`, child]);
    }
  }
  if (isTree(form['additionalProperties']))
    children.push([`${path}.NAME`, form['additionalProperties']]);
  if (isTree(form['items']) && hasKeys(form['items'])) children.push([`${path}[]`, form['items']]);
  return children;
}

function hasKeys(node: Tree): boolean {
  return [node, ...[node['anyOf'], node['oneOf']].flat().filter(isTree)].some(
    (form) =>
      form['type'] === 'object' || form['$ref'] !== undefined || form['oneOf'] !== undefined,
  );
}

/** Null for a plain map, which says nothing but its keys. */
function row(node: Tree, path: string, alternatives: readonly Tree[]): Row | null {
  const type = typeText(node, alternatives);
  if (type === '') return null;
  const flag = scalarFlags().find((each) => each.path === path)?.flag;
  return [
    `\`${path}\``,
    type,
    node['default'] === undefined ? '' : `\`${JSON.stringify(node['default'])}\``,
    flag === undefined ? '' : `\`--${flag}\``,
    textAt(node, 'description'),
  ];
}

function typeText(node: Tree, alternatives: readonly Tree[]): string {
  const kind = alternatives.map((form) => form['x-kind']).find((each) => typeof each === 'string');
  if (typeof kind === 'string') return kind === 'bytes' ? 'size' : kind;
  const words = alternatives.flatMap((form) => {
    if (Array.isArray(form['enum'])) return form['enum'].map((each) => `\`${String(each)}\``);
    if (form['const'] !== undefined) return [`\`${JSON.stringify(form['const'])}\``];
    const type = form['type'];
    if (type === 'array') return [`list${itemsText(form)}`];
    return typeof type === 'string' && type !== 'object' && type !== 'null' ? [type] : [];
  });
  return [...new Set(words)].join(', ') || (isTree(node['default']) ? 'map' : '');
}

function itemsText(form: Tree): string {
  const items = form['items'];
  return isTree(items) && typeof items['type'] === 'string' && items['type'] !== 'object'
    ? ` of ${items['type']}`
    : '';
}

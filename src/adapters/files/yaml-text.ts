import { isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import type { Document, Node } from 'yaml';
import { refuse } from '../../core/config/layers.ts';
import { formatPlace } from '../../core/config/place.ts';
import type { Place } from '../../core/config/place.ts';
import { formatPath, isTree } from '../../core/config/tree.ts';
import type { Path } from '../../core/config/tree.ts';
import { LoopwrightError } from '../../core/error.ts';
import type { YamlFile } from './config-yaml.ts';
import { hasManyReferences, manyReferences } from './parse-yaml.ts';

/** The map in a YAML text. `shown` names the file in messages. */
export function parseYaml(
  text: string,
  shown: string,
): Pick<YamlFile, 'tree' | 'places' | 'warnings'> {
  const lines = new LineCounter();
  // The library compares every pair of keys to find duplicates; the walk below needs one look at each.
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: false,
  });
  const at = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { file: shown, line, column: col };
  };
  refuse(document.errors.map((error) => formatPlace(at(error.pos[0])) + yamlReason(error.message)));

  const places = new Map<string, Place>();
  const problems: string[] = [];
  walk(document.contents, [], { at, places, problems });
  refuse(problems);

  if (hasManyReferences(document)) refuse([`${shown}: ${manyReferences}`]);
  const value = toPlain(document, shown);
  if (value !== null && !isTree(value)) refuse([`${shown}: expected a map of settings`]);
  const warnings = document.warnings.map((warning) => ({
    code: 'config.yaml',
    message: formatPlace(at(warning.pos[0])) + warning.message,
  }));
  return { tree: isTree(value) ? value : {}, places, warnings };
}

/** Deeper values are refused when layers are merged, and need no place. */
const maxPlacedDepth = 40;

type Walk = {
  readonly at: (offset: number) => Place;
  readonly places: Map<string, Place>;
  readonly problems: string[];
};

/** Notes where keys and list entries are written, and keys that are written twice. */
function walk(node: Node | null, path: Path, notes: Walk): void {
  if (path.length > maxPlacedDepth) return;
  if (isSeq<Node>(node)) {
    for (const [index, item] of node.items.entries()) {
      note(item, [...path, index], notes);
      walk(item, [...path, index], notes);
    }
  }
  if (!isMap<Node, Node | null>(node)) return;
  const seen = new Set<string>();
  for (const { key, value } of node.items) {
    const name = isScalar(key) ? String(key.value) : '';
    const here = [...path, name.replace(/^\+/, '')];
    const place = note(key, here, notes);
    if (seen.has(name)) {
      notes.problems.push(`${formatPlace(place)}\`${formatPath(here)}\` is written twice`);
    }
    seen.add(name);
    walk(value, here, notes);
  }
}

function note(node: Node, path: Path, { at, places }: Walk): Place {
  const place = at(node.range?.[0] ?? 0);
  places.set(formatPath(path), place);
  return place;
}

function toPlain(document: Document, shown: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    const reason = yamlReason(error instanceof Error ? error.message : String(error));
    throw new LoopwrightError('config.invalid', `${shown}: ${reason}`, { cause: error });
  }
}

function yamlReason(message: string): string {
  return message.includes('call stack') ? 'nested too deeply' : message;
}

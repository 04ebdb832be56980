import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import type { Document, Node } from 'yaml';
import { refuse } from '../../core/config/layers.ts';
import { formatPlace } from '../../core/config/place.ts';
import type { Place, Warning } from '../../core/config/place.ts';
import { formatPath, isTree } from '../../core/config/tree.ts';
import type { Path, Tree } from '../../core/config/tree.ts';
import { LoopwrightError } from '../../core/error.ts';

/** A YAML file that holds one map, and where each of its keys is written. */
export type YamlFile = {
  readonly path: string;
  readonly mtimeMs: number;
  readonly size: number;
  readonly tree: Tree;
  /** By `formatPath`; the `+` of append keys is left out. */
  readonly places: ReadonlyMap<string, Place>;
  readonly warnings: readonly Warning[];
};

export const maxConfigBytes = 1024 * 1024;

/**
 * Reads a file of configuration; null when there is none. `shown` names it in messages. Throws
 * `config.unreadable`, `config.too_large`, or `config.invalid` with every place that is not YAML.
 */
export async function readYamlFile(path: string, shown: string): Promise<YamlFile | null> {
  const file = await readBounded(path, shown);
  if (file === null) return null;
  return { path, mtimeMs: file.mtimeMs, size: file.size, ...parseYaml(file.text, shown) };
}

/** Text of a regular file of at most `maxConfigBytes`; null when there is none. */
export async function readBounded(
  path: string,
  shown: string,
): Promise<{ readonly text: string; readonly mtimeMs: number; readonly size: number } | null> {
  try {
    // Without O_NONBLOCK, opening a named pipe would wait for a writer.
    await using handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = await handle.stat();
    if (!stat.isFile()) throw unreadable(shown, 'it is not a regular file');
    if (stat.size > maxConfigBytes) throw tooLarge(shown);
    const bytes = Buffer.alloc(maxConfigBytes + 1);
    const size = await readInto(handle, bytes);
    if (size > maxConfigBytes) throw tooLarge(shown);
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, size));
    return { text, mtimeMs: stat.mtimeMs, size };
  } catch (error) {
    if (error instanceof LoopwrightError) throw error;
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    const reason = error instanceof TypeError ? 'it is not UTF-8 text' : String(code ?? error);
    throw unreadable(shown, reason, error);
  }
}

type Readable = {
  read(buffer: Buffer, offset: number, length: number): Promise<{ bytesRead: number }>;
};

async function readInto(handle: Readable, bytes: Buffer): Promise<number> {
  let size = 0;
  while (size < bytes.length) {
    const { bytesRead } = await handle.read(bytes, size, bytes.length - size);
    if (bytesRead === 0) break;
    size += bytesRead;
  }
  return size;
}

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

function tooLarge(shown: string): LoopwrightError {
  return new LoopwrightError('config.too_large', `${shown} is larger than 1 MB`, {
    hint: 'Configuration is a few kilobytes; is this the right file?',
  });
}

function unreadable(shown: string, reason: string, cause?: unknown): LoopwrightError {
  return new LoopwrightError('config.unreadable', `cannot read ${shown}: ${reason}`, {
    hint: 'Make it readable for you, or move it away.',
    cause,
  });
}

import {
  isAlias,
  isMap,
  isScalar,
  LineCounter,
  parseDocument,
  visit,
  YAMLParseError,
  type Document,
  type Node,
} from 'yaml';

/** The library compares every alias with every anchor. */
const maxReferences = 10_000;

/** Why a document is not turned into data: it would take too long. */
export const manyReferences = `it has more than ${maxReferences} anchors and aliases`;

/**
 * A YAML document, read in a time that grows with its size and no faster. The library's own search for duplicate keys compares
 * every pair; here each key is looked at once. What is wrong is in `errors`, with its place.
 */
export function parseYamlDocument(
  text: string,
  lines: LineCounter = new LineCounter(),
): Document.Parsed {
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false });
  if (document.errors.length > 0) return document;
  const wrong = (node: Node | null, problem: string) => {
    const start = node?.range?.[0] ?? 0;
    const { line, col } = lines.linePos(start);
    const shown = `${problem} at line ${line}, column ${col}`;
    const error = new YAMLParseError([start, start + 1], 'DUPLICATE_KEY', shown);
    error.linePos = [{ line, col }];
    document.errors.push(error);
  };
  try {
    lookForTwins(document, wrong);
    if (hasManyReferences(document)) wrong(document.contents, manyReferences);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    wrong(document.contents, 'it is nested too deeply');
  }
  return document;
}

export function hasManyReferences(document: Document): boolean {
  let references = 0;
  visit(document, {
    Node(_, node) {
      if (isAlias(node) || node.anchor !== undefined) references++;
      return references > maxReferences ? visit.BREAK : undefined;
    },
  });
  return references > maxReferences;
}

function lookForTwins(document: Document, wrong: (node: Node, problem: string) => void): void {
  visit(document, {
    Node(_, node) {
      if (!isMap(node)) return;
      const seen = new Set<unknown>();
      for (const { key } of node.items) {
        if (!isScalar(key)) continue;
        if (seen.has(key.value)) wrong(key, 'Map keys must be unique');
        seen.add(key.value);
      }
    },
  });
}

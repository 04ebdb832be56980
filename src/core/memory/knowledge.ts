import { namedPaths } from './learning.ts';
import { indexDocument, type IndexedDocument } from './rank/document.ts';
import { isLikely } from './rank/gate.ts';
import { namedFiles } from './named-knowledge.ts';
import { dropNearDuplicates } from './rank/near-duplicate.ts';
import { queryWeights, type QueryText } from './rank/query.ts';
import { selectLearnings, type Candidate } from './rank/select.ts';
import type { StoredTerm } from './rank/bm25.ts';

/** A Markdown file of the project that people wrote for those who work on it. */
export type KnowledgeFile = {
  /** From the root of the project. */
  readonly path: string;
  readonly title: string | null;
  readonly tags: readonly string[];
  readonly text: string;
};

/** What the project has to say to every task. */
export type ProjectKnowledge = {
  readonly files: readonly KnowledgeFile[];
  /** The codebase map; null: there is none. */
  readonly map: string | null;
  /** What could not be used, and why. */
  readonly warnings: readonly string[];
};

export const noKnowledge: ProjectKnowledge = { files: [], map: null, warnings: [] };

const category = 'knowledge';

export type KnowledgeQuery = QueryText & {
  readonly limit: number;
  readonly maxOverlap: number;
};

/**
 * The files that are likely to help with a task, best first; none is a good answer. Those whose tag or title the task's title
 * names come first, whatever the gate says: a person wrote them there. The others are ranked and gated as learnings are.
 */
export function selectKnowledge(
  files: readonly KnowledgeFile[],
  query: KnowledgeQuery,
): readonly KnowledgeFile[] {
  const named = namedFiles(files, query.title);
  const ranked = rankFiles(files, query, named.length);
  const place = new Map(ranked.map(({ path }, index) => [path, index]));
  const first = named.toSorted(
    (a, b) =>
      b.words - a.words ||
      (place.get(a.file.path) ?? ranked.length) - (place.get(b.file.path) ?? ranked.length),
  );
  const all = [...new Set([...first.map(({ file }) => file), ...ranked])];
  const said = all.map((file) => ({
    file,
    category,
    content: contentOf(file).slice(0, maxCompared),
  }));
  return dropNearDuplicates(said, query.limit, query.maxOverlap).map(({ file }) => file);
}

/** More than a prompt ever has room for need no order. */
const maxOrdered = 20;

function rankFiles(
  files: readonly KnowledgeFile[],
  query: KnowledgeQuery,
  named: number,
): readonly KnowledgeFile[] {
  const weights = queryWeights(query);
  if (files.length === 0 || weights.size === 0) return [];
  const indexed = files.map(indexKnowledge);
  const { results, likelihood } = selectLearnings({
    weights,
    terms: countTerms(indexed, weights),
    totals: {
      documents: indexed.length,
      length: indexed.reduce((sum, { document }) => sum + document.length, 0),
      oldest: 0,
      newest: 0,
    },
    candidates: indexed.flatMap((each) => candidateOf(each, weights)),
    pathDocuments: pathCounts(indexed),
    scope: null,
    now: 0,
    limit: query.limit + Math.min(named, maxOrdered),
    maxOverlap: query.maxOverlap,
    asked: query,
  });
  const isOpen = isLikely(likelihood);
  return results.flatMap(({ id, isNamed }) =>
    isOpen || isNamed ? files.filter(({ path }) => path === id) : [],
  );
}

type IndexedFile = {
  readonly file: KnowledgeFile;
  readonly paths: readonly string[];
  readonly content: string;
  readonly document: IndexedDocument;
};

/** What a file is about stands in its first pages. */
const maxChars = 8000;
/** Of these two files that say the same are known. */
const maxCompared = 2000;

/** Every prompt ranks all files: one that is the same object as before is indexed once. */
const known = new WeakMap<KnowledgeFile, IndexedFile>();

/** The index of a file. Whoever reads files one by one can have it made before they are ranked all at once. */
export function indexKnowledge(file: KnowledgeFile): IndexedFile {
  const before = known.get(file);
  if (before !== undefined) return before;
  const indexed = indexFile(file);
  known.set(file, indexed);
  return indexed;
}

function indexFile(file: KnowledgeFile): IndexedFile {
  const content = contentOf(file);
  const paths = namedPaths(content, ...file.tags);
  return { file, paths, content, document: indexDocument({ content, tags: file.tags, paths }) };
}

function contentOf({ title, text }: KnowledgeFile): string {
  const start = text.slice(0, maxChars);
  return title === null ? start : `${title}\n${start}`;
}

/** How many files have each word of the query; words that none has are unknown. */
function countTerms(
  indexed: readonly IndexedFile[],
  weights: ReadonlyMap<string, number>,
): readonly StoredTerm[] {
  return [...weights.keys()].flatMap((term) => {
    const found = indexed.flatMap(({ document }) => document.terms.get(term) ?? []);
    const pathDocuments = found.filter(({ path }) => path > 0).length;
    return found.length === 0 ? [] : [{ term, documents: found.length, pathDocuments }];
  });
}

function candidateOf(
  { file, paths, content, document }: IndexedFile,
  weights: ReadonlyMap<string, number>,
): readonly Candidate[] {
  const matches = new Map(
    [...weights.keys()].flatMap((term) => {
      const found = document.terms.get(term);
      return found === undefined ? [] : [[term, found] as const];
    }),
  );
  if (matches.size === 0) return [];
  return [
    {
      id: file.path,
      category,
      content: content.slice(0, maxCompared),
      paths,
      scope: null,
      createdAt: 0,
      lastUsedAt: null,
      staleAt: null,
      helpful: 0,
      harmful: 0,
      length: document.length,
      matches,
    },
  ];
}

function pathCounts(indexed: readonly IndexedFile[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const path of indexed.flatMap(({ paths }) => paths)) {
    counts.set(path, (counts.get(path) ?? 0) + 1);
  }
  return counts;
}

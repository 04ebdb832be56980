import { pathTokens, tokenize } from './tokens.ts';

/** How often a term stands in a learning's words (content and tags) and in the paths it names. */
export type Occurrences = { readonly text: number; readonly path: number };

/** A learning as the index keeps it. */
export type IndexedDocument = {
  readonly terms: ReadonlyMap<string, Occurrences>;
  /** Words and, at their weight, path segments: what term frequencies are measured against. */
  readonly length: number;
};

export type DocumentSource = {
  readonly content: string;
  readonly tags: readonly string[];
  readonly paths: readonly string[];
};

/** A word in a path says more than one in prose. */
export const pathWeight = 4;

/** Counts the ways terms were made of words; a store that has another one is indexed anew. Raise it with every change of them. */
export const indexRule = 1;

const maxContent = 20_000;
const maxCount = 255;

/** The terms of a learning. Each path is also a term of its own, as `/path`, without occurrences: its rarity is looked up. */
export function indexDocument({ content, tags, paths }: DocumentSource): IndexedDocument {
  const terms = new Map<string, { text: number; path: number }>();
  const entry = (term: string): { text: number; path: number } => {
    const known = terms.get(term) ?? { text: 0, path: 0 };
    terms.set(term, known);
    return known;
  };
  const words = [content.slice(0, maxContent), ...tags.filter((tag) => !paths.includes(tag))];
  for (const text of words) {
    for (const { term } of tokenize(text)) entry(term).text++;
  }
  for (const term of new Set(paths.flatMap(pathTokens))) entry(term).path = 1;
  let length = 0;
  for (const counts of terms.values()) {
    counts.text = Math.min(counts.text, maxCount);
    length += counts.text + pathWeight * counts.path;
  }
  for (const path of new Set(paths)) entry(pathTerm(path));
  return { terms, length };
}

/** No word has a slash, so paths and words never meet. */
export function pathTerm(path: string): string {
  // A database need not keep what is not text.
  return `/${path.toWellFormed().replaceAll('\0', '')}`;
}

import { tokenize, wordsOf } from './tokens.ts';

/** What a learning says. */
export type Said = { readonly category: string; readonly content: string };

/**
 * Leaves out what says the same as an earlier one, or as one that is `given` anyway: same category, more than this share of
 * all their words in common.
 */
export function dropNearDuplicates<T extends Said>(
  items: readonly T[],
  limit: number,
  maxOverlap = 0.8,
  given: readonly Said[] = [],
): readonly T[] {
  const said = given.map((item) => ({ category: item.category, words: wholesOf(item) }));
  const kept: T[] = [];
  for (const item of items) {
    if (kept.length === limit) break;
    const { category } = item;
    const words = wholesOf(item);
    const isNew = said.every(
      (other) => other.category !== category || overlap(other.words, words) <= maxOverlap,
    );
    if (!isNew) continue;
    kept.push(item);
    said.push({ category, words });
  }
  return kept;
}

/** Names count once, as a whole: only so are two texts the same that differ in case. */
function wholesOf({ content }: Said): ReadonlySet<string> {
  return new Set(wordsOf(tokenize(content)).map(({ whole }) => whole));
}

/** Share of the words that two texts have in common, of all they have. */
function overlap(a: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const union = a.union(other).size;
  return union === 0 ? 1 : a.intersection(other).size / union;
}

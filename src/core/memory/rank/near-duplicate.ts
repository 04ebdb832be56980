import { tokenize } from './tokens.ts';

type Said = { readonly category: string; readonly content: string };

/** Leaves out what says the same as an earlier one: same category, more than this share of all their words in common. */
export function dropNearDuplicates<T extends Said>(
  items: readonly T[],
  limit: number,
  maxOverlap = 0.8,
): readonly T[] {
  const kept: { readonly item: T; readonly words: ReadonlySet<string> }[] = [];
  for (const item of items) {
    if (kept.length === limit) break;
    const words = new Set(tokenize(item.content).map(({ term }) => term));
    const isNew = kept.every(
      (other) => other.item.category !== item.category || overlap(other.words, words) <= maxOverlap,
    );
    if (isNew) kept.push({ item, words });
  }
  return kept.map(({ item }) => item);
}

/** Share of the words that two texts have in common, of all they have. */
function overlap(a: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const union = a.union(other).size;
  return union === 0 ? 1 : a.intersection(other).size / union;
}

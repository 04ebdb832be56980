import { pathWeight, type Occurrences } from './document.ts';

/** What is known of the whole store. */
export type Totals = {
  readonly documents: number;
  /** Sum of all lengths. */
  readonly length: number;
};

/** A term of the query as the store knows it. */
export type StoredTerm = {
  readonly term: string;
  /** Learnings it stands in, and those where it is part of a path. */
  readonly documents: number;
  readonly pathDocuments: number;
};

const k1 = 1.6;
const b = 0.6;

/**
 * What stands in for experience while a store is small: with a handful of learnings, every word is in one or in none,
 * and the count alone says nothing. A store is judged as if it had at least this many.
 */
const fewest = 200;
/** Share of the missing learnings that a word of all software is assumed to stand in. */
const commonShare = 0.1;

/** 0..1: how far the store can speak for itself; 1 for all but small ones. */
export function maturity({ documents }: Totals): number {
  return Math.min(1, documents / fewest);
}

/** How much it tells that a term is there: the rarer the more. 0 documents is the rarest. */
export function rarity(documents: number, totals: Totals, isCommon = false): number {
  const missing = Math.max(0, fewest - totals.documents);
  const standing = documents + (isCommon ? commonShare * missing : 0);
  const others = Math.max(0, totals.documents + missing - standing);
  return Math.log(1 + (others + 0.5) / (standing + 0.5));
}

/** The largest rarity of a store: with it scores of small and large stores can be compared. */
export function topRarity(totals: Totals): number {
  return rarity(0, totals);
}

/** What occurrences count, 0 to k1 + 1: the fields weighted and added before they saturate (BM25F). */
export function saturate({ text, path }: Occurrences, length: number, totals: Totals): number {
  const average = totals.length / Math.max(1, totals.documents) || 1;
  const frequency = (text + pathWeight * path) / (1 - b + (b * length) / average);
  return ((k1 + 1) * frequency) / (frequency + k1);
}

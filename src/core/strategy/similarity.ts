import { signatureSimilarity } from '../verdict/signature.ts';
import type { IterationSummary } from './strategy.ts';

type Signatures = IterationSummary['signatures'];

/**
 * How much two iterations resemble each other, 0..1: the least alike of what failed, how it failed and
 * what was changed. Iterations with nothing to compare are alike.
 */
export function iterationSimilarity(a: IterationSummary, b: IterationSummary): number {
  return Math.min(
    jaccard(failureSet(a), failureSet(b)),
    signatureSetSimilarity(a.signatures, b.signatures),
    diffSimilarity(a, b),
  );
}

/** Similarity of the least alike pair among the newest `window` iterations; null while there are fewer. */
export function leastSimilarity(
  iterations: readonly IterationSummary[],
  window: number,
): number | null {
  const recent = iterations.slice(-window);
  if (recent.length < window) return null;
  return Math.min(...pairs(recent).map(([a, b]) => iterationSimilarity(a, b)));
}

function pairs(
  list: readonly IterationSummary[],
): readonly (readonly [IterationSummary, IterationSummary])[] {
  return list.flatMap((a, index) => list.slice(index + 1).map((b) => [a, b] as const));
}

/** Shared share of two sets; two empty sets are equal. */
function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const union = a.union(b).size;
  return union === 0 ? 1 : a.intersection(b).size / union;
}

function failureSet(summary: IterationSummary): ReadonlySet<string> {
  return new Set(summary.failures.map(normaliseFailure));
}

/** A runner's timing beside a test name is not part of the name. Numbers within it are: they tell cases apart. */
export function normaliseFailure(name: string): string {
  const line = name.slice(0, 300).replace(/\s+/g, ' ').trim();
  return line.replace(/ [([]?\d+(?:\.\d+)? ?(?:ms|s|m)[)\]]?$/, '');
}

/** Each signature against its best match on the other side, averaged over both sides. */
function signatureSetSimilarity(a: Signatures, b: Signatures): number {
  if (a.length === 0 && b.length === 0) return 1;
  if (a.length === 0 || b.length === 0) return 0;
  const total = sumOfBestMatches(a, b) + sumOfBestMatches(b, a);
  return total / (a.length + b.length);
}

function sumOfBestMatches(from: Signatures, to: Signatures): number {
  return from.reduce(
    (sum, each) => sum + Math.max(...to.map((other) => signatureSimilarity(each, other))),
    0,
  );
}

/** The same tree is the same diff against the base, however it was reached. */
function diffSimilarity(a: IterationSummary, b: IterationSummary): number {
  if (a.tree !== null && a.tree === b.tree) return 1;
  return jaccard(diffSet(a), diffSet(b));
}

/** Touching the same file again is not the same edit: the number of changed lines is part of the set. */
function diffSet({ changes, tree }: IterationSummary): ReadonlySet<string> {
  const set = new Set<string>([
    ...changes.created.map((path) => `created ${path}`),
    ...changes.modified.map((path) => `modified ${path}`),
    ...changes.deleted.map((path) => `deleted ${path}`),
    ...changes.renamed.map(({ from, to }) => `renamed ${from} to ${to}`),
  ]);
  // Without names two diffs are alike only when they lead to the same files.
  if (changes.untracked !== undefined) set.add(`tree ${tree ?? ''}`);
  if (changes.lines > 0) set.add(`lines ${changes.lines}`);
  return set;
}

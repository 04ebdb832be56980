import { maturity, rarity, saturate, topRarity, type StoredTerm, type Totals } from './bm25.ts';
import { isCommon } from './common-words.ts';
import type { Occurrences } from './document.ts';
import { likelihood, type Signs } from './gate.ts';
import { dropNearDuplicates, type Said } from './near-duplicate.ts';
import { askedText, type QueryText } from './query.ts';
import { hasWord, spellings, tokenize, wordsOf, type Name } from './tokens.ts';
import { worthFactor } from './worth.ts';

/** A learning that may be given, with what it shares with the query. Times are UTC milliseconds. */
export type Candidate = {
  readonly id: string;
  readonly category: string;
  readonly content: string;
  readonly paths: readonly string[];
  readonly scope: string | null;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  readonly staleAt: number | null;
  readonly helpful: number;
  readonly harmful: number;
  readonly length: number;
  readonly matches: ReadonlyMap<string, Occurrences>;
  /** Tags that a person gave it; absent when an agent did. */
  readonly handTags?: readonly string[] | undefined;
};

export type SelectInput = {
  /** From `queryWeights`. */
  readonly weights: ReadonlyMap<string, number>;
  /** Those of the query's terms that the store knows. */
  readonly terms: readonly StoredTerm[];
  readonly totals: Totals & { readonly oldest: number; readonly newest: number };
  readonly candidates: readonly Candidate[];
  /** In how many learnings a path of a candidate stands. */
  readonly pathDocuments: ReadonlyMap<string, number>;
  readonly scope: string | null;
  readonly now: number;
  readonly limit: number;
  readonly halfLifeMs?: number | undefined;
  readonly maxOverlap?: number | undefined;
  /** What is given anyway. */
  readonly given?: readonly Said[] | undefined;
  /** The query's own words. */
  readonly asked?: QueryText | undefined;
};

export type Selected = {
  readonly id: string;
  readonly score: number;
  /** In a few words, what made it match. */
  readonly why: string;
};

/**
 * `isNamed`: the task's title names a tag that a person gave it, or it has every word of the query, so it is given whatever
 * the likelihood says.
 */
type Result = Selected & { readonly isNamed: boolean };

export type Selection = {
  readonly results: readonly Result[];
  /** 0..1: how likely giving these is better than giving nothing. */
  readonly likelihood: number;
  readonly signs: Signs;
};

const newestBonus = 0.6;
const scopeBonus = 0.2;
const feedbackWeight = 0.1;
const feedbackSources = 3;
const judged = 5;
/** Of the best score. What reaches less shares a stray word with the task; in a small store that is easily among the five. */
const leastShare = 0.25;

/** How many of the best speak for an answer: in a small store one is as much as can be hoped for. */
function judgedOf(totals: Totals): number {
  return Math.max(1, Math.round(judged * maturity(totals)));
}

/** The best candidates, best first, near-duplicates left out. Whether to give them is the caller's, by `likelihood`. */
export function selectLearnings(input: SelectInput): Selection {
  const value = termValues(input);
  const scored = input.candidates.map((candidate) => ({
    candidate,
    text: textScore(candidate, value, input.totals),
  }));
  const aged = scored.map(({ candidate, text }) => ({
    candidate,
    text,
    score: text * ageFactor(candidate, input),
  }));
  const ranked = withFeedback(aged.toSorted(byScore), input);
  const floor = leastShare * (ranked[0]?.score ?? 0);
  const kept = dropNearDuplicates(
    ranked
      .filter(({ score }) => score >= floor)
      .map((each) => ({
        ...each,
        category: each.candidate.category,
        content: each.candidate.content,
      })),
    input.limit,
    input.maxOverlap,
    input.given,
  );
  const signs = readSigns(ranked.slice(0, judgedOf(input.totals)), value, input);
  const title = input.asked?.title ?? '';
  const asked = askedText(input.asked);
  const spelled = spellings(kept.length === 0 ? '' : asked);
  const words = kept.length === 0 ? [] : wordsOf(tokenize(asked));
  const results = kept.map(({ candidate, score }) => ({
    id: candidate.id,
    score: Math.round(score * 1000) / 1000,
    why: explain(candidate, value, spelled),
    isNamed: isNamed(candidate, title) || hasAll(candidate, words),
  }));
  return { results, likelihood: results.length === 0 ? 0 : likelihood(signs), signs };
}

/** A tag says something when it is more than words of all software, and is named when the title has all its words. */
function isNamed({ handTags = [] }: Candidate, title: string): boolean {
  if (handTags.length === 0) return false;
  const words = new Set(tokenize(title).map(({ term }) => term));
  return handTags.some((tag) => {
    const own = wordsOf(tokenize(tag));
    return own.some(isSpecific) && own.every((word) => hasWord(words, word));
  });
}

/** Nothing asked for is missing, and it is more than words of all software. */
function hasAll({ matches }: Candidate, words: readonly Name[]): boolean {
  return words.some(isSpecific) && words.every((word) => hasWord(matches, word));
}

function isSpecific({ whole }: Name): boolean {
  return !isCommon(whole);
}

type Values = ReadonlyMap<string, number>;
type Scored = { readonly candidate: Candidate; readonly text: number; readonly score: number };

function byScore(a: Scored, b: Scored): number {
  return (
    b.score - a.score ||
    b.candidate.createdAt - a.candidate.createdAt ||
    (a.candidate.id < b.candidate.id ? -1 : 1)
  );
}

/** What finding each known term is worth: its weight in the query times its rarity. */
export function termValues({
  weights,
  terms,
  totals,
}: Pick<SelectInput, 'weights' | 'terms' | 'totals'>): Values {
  return new Map(
    terms.map(({ term, documents }) => [
      term,
      (weights.get(term) ?? 0) * rarity(documents, totals, isCommon(term)),
    ]),
  );
}

function textScore({ matches, length }: Candidate, value: Values, totals: Totals): number {
  let score = 0;
  for (const [term, found] of matches)
    score += (value.get(term) ?? 0) * saturate(found, length, totals);
  return score;
}

function ageFactor(candidate: Candidate, { totals, scope, now, halfLifeMs }: SelectInput): number {
  const span = totals.newest - totals.oldest;
  const place =
    span <= 0 ? 1 : Math.min(1, Math.max(0, (candidate.createdAt - totals.oldest) / span));
  const sameScope = scope !== null && candidate.scope === scope ? 1 + scopeBonus : 1;
  const { helpful, harmful, staleAt } = candidate;
  const usedAt = candidate.lastUsedAt ?? candidate.createdAt;
  const worth = worthFactor(
    { helpful, harmful, usedAt, isStale: staleAt !== null },
    { now, halfLifeMs },
  );
  return (1 + newestBonus * place) * sameScope * worth;
}

/** Candidates that name the same rare files as the best three gain by it. */
function withFeedback(ranked: readonly Scored[], input: SelectInput): readonly Scored[] {
  const top = ranked[0]?.score ?? 0;
  if (top <= 0) return ranked;
  const gains = new Map<string, number>();
  for (const { candidate, score } of ranked.slice(0, feedbackSources)) {
    for (const path of candidate.paths) gains.set(path, (gains.get(path) ?? 0) + score / top);
  }
  for (const [path, gain] of gains) {
    const documents = input.pathDocuments.get(path) ?? 0;
    const rare = documents < 2 ? 0 : rarity(documents, input.totals) / topRarity(input.totals);
    gains.set(path, feedbackWeight * top * gain * rare);
  }
  return ranked
    .map((each) => {
      const gain = sum(each.candidate.paths.map((path) => gains.get(path) ?? 0));
      return { ...each, score: each.score + gain * ageFactor(each.candidate, input) };
    })
    .toSorted(byScore);
}

function readSigns(best: readonly Scored[], value: Values, input: SelectInput): Signs {
  const { weights, terms, totals } = input;
  const unit = topRarity(totals);
  const known = knownTerms(input);
  let unknown = 0;
  for (const [term, weight] of weights) if (!known.has(term)) unknown += weight * unit;
  const mass = sum(value.values()) + unknown || 1;
  const inSomePath = terms.filter(({ pathDocuments }) => pathDocuments > 0);
  const shared = (keep: (term: string, found: Occurrences) => boolean): number =>
    sum(
      best.flatMap(({ candidate }) =>
        [...candidate.matches].map(([term, found]) =>
          keep(term, found) ? (value.get(term) ?? 0) : 0,
        ),
      ),
    ) / judgedOf(totals);
  return {
    knownInPaths: sum(inSomePath.map(({ term }) => value.get(term) ?? 0)) / mass,
    specific: Math.log1p(shared((term) => !isCommon(term)) / unit),
    // A small store has not seen most words of its own project; their number grows like a vocabulary does.
    unknown: Math.log1p((unknown / unit) * Math.sqrt(maturity(totals))),
    best: Math.max(0, ...best.map(({ text }) => text)) / unit / 10,
    inPaths: shared((_, { path }) => path > 0) / mass,
  };
}

/** Those the store has, and the rest of names that it has in another case: `sq` and `lite` where it says `sqlite`. */
function knownTerms({ terms, asked }: SelectInput): ReadonlySet<string> {
  const known = new Set(terms.map(({ term }) => term));
  const all = new Set(known);
  for (const word of wordsOf(tokenize(askedText(asked)))) {
    if (known.has(word.whole)) for (const part of word.parts) all.add(part);
  }
  return all;
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

const named = 4;

function explain(
  { matches }: Candidate,
  value: Values,
  spelled: ReadonlyMap<string, string>,
): string {
  const best = [...matches]
    .toSorted(([a], [b]) => (value.get(b) ?? 0) - (value.get(a) ?? 0))
    .slice(0, named);
  const words = best.map(
    ([term, { path }]) => `${spelled.get(term) ?? term}${path > 0 ? ' (path)' : ''}`,
  );
  return `matches ${words.join(', ')}`;
}

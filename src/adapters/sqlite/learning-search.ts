import type { Learning } from '../../core/memory/learning.ts';
import { saturate, type StoredTerm, type Totals } from '../../core/memory/rank/bm25.ts';
import { pathTerm, type Occurrences } from '../../core/memory/rank/document.ts';
import { isLikely } from '../../core/memory/rank/gate.ts';
import { dropNearDuplicates, type Said } from '../../core/memory/rank/near-duplicate.ts';
import { queryWeights } from '../../core/memory/rank/query.ts';
import { selectLearnings, termValues, type Candidate } from '../../core/memory/rank/select.ts';
import type { FoundLearning, LearningQuery } from '../../ports/learning-index.ts';
import { fromIso, fromIsoOrNull } from './iso-time.ts';
import { listed } from './json-list.ts';
import type { LearningTermsTable } from './schema-learning-index.ts';
import type { LearningsTable } from './schema-memory.ts';
import type { Db } from './schema.ts';
import { sql } from './sql.ts';
import { parseStored } from './stored-json.ts';

/** Postings read to find candidates. Rare terms come first, so what is left out are words that half the store has. */
const maxPostings = 1000;
const maxCandidates = 40;
/** Common terms that complete the scores of candidates; still more common ones change nothing. */
const maxCommon = 8;

export async function searchLearnings(
  db: Db,
  query: LearningQuery,
): Promise<readonly FoundLearning[]> {
  const known = await findBySignature(db, query);
  const results = known.map(({ id }) => ({ id, score: 100, why: 'the same failure' }));
  const limit = query.limit - results.length;
  return limit <= 0 ? results : [...results, ...(await findByText(db, { ...query, limit }, known))];
}

/** Of a loop that says the same in each iteration many look alike: enough of them are read to find others behind them. */
const maxSameFailure = 50;

async function findBySignature(
  db: Db,
  { signature, limit, maxOverlap }: LearningQuery,
): Promise<readonly (Said & { readonly id: string })[]> {
  if (signature === null) return [];
  const rows = await db.all(
    sql<Pick<LearningsTable, 'id' | 'category' | 'content'>>`
      select id, category, content from learnings
      where signature = ${signature} and status in ('candidate', 'active') and superseded_by is null
      order by harmful - helpful, created_at desc, id
      limit ${Math.max(limit, maxSameFailure)}`,
  );
  return dropNearDuplicates(rows, limit, maxOverlap);
}

/** Nothing that says the same as what is `given`, and so not that itself. */
async function findByText(
  db: Db,
  query: LearningQuery,
  given: readonly Said[],
): Promise<readonly FoundLearning[]> {
  const totals = await readTotals(db);
  if (totals.documents === 0) return [];
  const weights = queryWeights(query);
  if (weights.size === 0) return [];
  const terms = await readTerms(db, [...weights.keys()]);
  const values = termValues({ weights, terms, totals });
  const matches = await readMatches(db, terms, values, totals);
  const candidates = await readCandidates(db, matches);
  const pathDocuments = await readPathDocuments(db, candidates);
  const { scope, now, limit, halfLifeMs, maxOverlap } = query;
  const selection = selectLearnings({
    weights,
    terms,
    totals,
    candidates,
    pathDocuments,
    scope,
    now,
    limit,
    halfLifeMs,
    maxOverlap,
    given,
    asked: query,
  });
  const isOpen = query.withUnlikely === true || isLikely(selection.likelihood);
  return selection.results
    .filter(({ isNamed }) => isOpen || isNamed)
    .map(({ id, score, why }) => ({ id, score, why }));
}

type StoreTotals = Totals & { readonly oldest: number; readonly newest: number };

async function readTotals(db: Db): Promise<StoreTotals> {
  const { documents, length, oldest, newest } = await db.one(
    sql<Totals & { oldest: string | null; newest: string | null }>`
      select
        documents, length,
        (select min(created_at) from learnings) as oldest,
        (select max(created_at) from learnings) as newest
      from learning_totals`,
  );
  return {
    documents,
    length,
    oldest: fromIsoOrNull(oldest) ?? 0,
    newest: fromIsoOrNull(newest) ?? 0,
  };
}

type KnownTerm = StoredTerm & { readonly id: number };

async function readTerms(db: Db, words: readonly string[]): Promise<readonly KnownTerm[]> {
  return db.all(
    sql<KnownTerm>`
      select id, term, documents, path_documents as "pathDocuments"
      from learning_terms where term in ${listed(words)}`,
  );
}

type Match = { readonly length: number; readonly terms: Map<string, Occurrences> };

/** The best documents by the rare terms, then completed with the common ones. */
async function readMatches(
  db: Db,
  terms: readonly KnownTerm[],
  values: ReadonlyMap<string, number>,
  totals: Totals,
): Promise<ReadonlyMap<number, Match>> {
  const { rare, common } = splitTerms(terms);
  const scores = new Map<number, number>();
  const rareLists = await readPostings(db, rare);
  for (const { term, postings } of rareLists) {
    const value = values.get(term) ?? 0;
    for (const { documentId, length, found } of postings) {
      const score = value * saturate(found, length, totals);
      scores.set(documentId, (scores.get(documentId) ?? 0) + score);
    }
  }
  const chosen = [...scores]
    .toSorted(([a, score], [b, other]) => other - score || b - a)
    .slice(0, maxCandidates)
    .map(([id]) => id);
  const commonLists = await readPostings(db, common, chosen);
  return collect([...rareLists, ...commonLists], new Set(chosen));
}

/** What the chosen documents share with the query. */
function collect(
  lists: readonly TermPostings[],
  ids: ReadonlySet<number>,
): ReadonlyMap<number, Match> {
  const matches = new Map<number, Match>();
  for (const { term, postings } of lists) {
    for (const { documentId, length, found } of postings) {
      if (!ids.has(documentId)) continue;
      const match = matches.get(documentId) ?? { length, terms: new Map<string, Occurrences>() };
      match.terms.set(term, found);
      matches.set(documentId, match);
    }
  }
  return matches;
}

/** Terms within the limit on postings, rarest first; at least one, for a query of common words alone. */
function splitTerms(terms: readonly KnownTerm[]): {
  readonly rare: readonly KnownTerm[];
  readonly common: readonly KnownTerm[];
} {
  const sorted = terms.toSorted((a, b) => a.documents - b.documents || (a.term < b.term ? -1 : 1));
  let postings = 0;
  const end = sorted.findIndex(({ documents }, index) => {
    postings += documents;
    return index > 0 && postings > maxPostings;
  });
  return end === -1
    ? { rare: sorted, common: [] }
    : { rare: sorted.slice(0, end), common: sorted.slice(end, end + maxCommon) };
}

type Posting = {
  readonly documentId: number;
  readonly length: number;
  readonly found: Occurrences;
};

type TermPostings = { readonly term: string; readonly postings: readonly Posting[] };

/**
 * A row for each term and a number for each posting: making rows is what costs. From the right the number is 8 bits of
 * text, 1 of path, 16 of length and the document.
 */
const packed = sql`string_agg(document_id * 33554432 + min(length, 65535) * 512 + min(path_count, 1) * 256 + min(text_count, 255), ' ')`;

/** The postings of terms, of all documents or of some. */
async function readPostings(
  db: Db,
  terms: readonly KnownTerm[],
  documentIds?: readonly number[],
): Promise<readonly TermPostings[]> {
  if (terms.length === 0 || documentIds?.length === 0) return [];
  const words = new Map(terms.map(({ id, term }) => [id, term]));
  const ids = listed([...words.keys()]);
  let source = sql`learning_postings where term_id in ${ids}`;
  if (documentIds !== undefined) source = sql`${source} and document_id in ${listed(documentIds)}`;
  else if (isEndless(terms)) source = sql`(select * from ${source} limit ${maxPostings})`;
  const rows = await db.all(sql<{ readonly term_id: number; readonly packed: string }>`
    select term_id, ${packed} as packed
    from ${source}
    group by term_id order by term_id`);
  return rows.map((row) => ({
    term: words.get(row.term_id) ?? '',
    postings: row.packed.split(' ').map(unpack),
  }));
}

/** A query of common words alone. Only then the postings are cut off, since a limit makes the database sort them. */
function isEndless([rarest]: readonly KnownTerm[]): boolean {
  return rarest !== undefined && rarest.documents > maxPostings;
}

function unpack(posting: string): Posting {
  const number = Number(posting);
  const low = number % 33_554_432;
  return {
    documentId: (number - low) / 33_554_432,
    length: low >> 9,
    found: { text: low & 255, path: (low >> 8) & 1 },
  };
}

async function readCandidates(
  db: Db,
  matches: ReadonlyMap<number, Match>,
): Promise<readonly Candidate[]> {
  if (matches.size === 0) return [];
  // Crossed, so that the planner begins at the documents: without statistics it may begin at the learnings.
  const rows = await db.all(
    sql<LearningsTable & { document_id: number }>`
      select document.id as document_id, learnings.*
      from learning_documents as document cross join learnings
      where learnings.id = document.learning_id and document.id in ${listed([...matches.keys()])}`,
  );
  return rows.flatMap((row) => {
    const match = matches.get(row.document_id);
    if (match === undefined || row.superseded_by !== null) return [];
    if (row.status !== 'candidate' && row.status !== 'active') return [];
    const { id, category, content, scope, helpful, harmful } = row;
    return [
      {
        id,
        category,
        content,
        scope,
        helpful,
        harmful,
        paths: parseStored<Learning['paths']>(row.paths, `learning ${id}`),
        createdAt: fromIso(row.created_at),
        lastUsedAt: fromIsoOrNull(row.last_used_at),
        staleAt: fromIsoOrNull(row.stale_at),
        length: match.length,
        matches: match.terms,
        ...(row.origin === 'person'
          ? { handTags: parseStored<Learning['tags']>(row.relevance_tags, `learning ${id}`) }
          : {}),
      },
    ];
  });
}

/** How common the paths are that several candidates name; others lead nowhere. */
async function readPathDocuments(
  db: Db,
  candidates: readonly Candidate[],
): Promise<ReadonlyMap<string, number>> {
  const seen = new Map<string, number>();
  for (const path of candidates.flatMap((candidate) => candidate.paths)) {
    seen.set(path, (seen.get(path) ?? 0) + 1);
  }
  const paths = [...seen].filter(([, count]) => count > 1).map(([path]) => path);
  if (paths.length === 0) return new Map();
  const rows = await db.all(
    sql<Pick<LearningTermsTable, 'term' | 'documents'>>`
      select term, documents from learning_terms where term in ${listed(paths.map(pathTerm))}`,
  );
  return new Map(rows.map(({ term, documents }) => [term.slice(1), documents]));
}

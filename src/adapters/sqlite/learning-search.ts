import { sql } from 'kysely';
import type { Learning } from '../../core/memory/learning.ts';
import { saturate, type StoredTerm, type Totals } from '../../core/memory/rank/bm25.ts';
import { pathTerm, type Occurrences } from '../../core/memory/rank/document.ts';
import { isLikely } from '../../core/memory/rank/gate.ts';
import { queryWeights } from '../../core/memory/rank/query.ts';
import { selectLearnings, termValues, type Candidate } from '../../core/memory/rank/select.ts';
import type { FoundLearning, LearningQuery } from '../../ports/learning-index.ts';
import { fromIso, fromIsoOrNull } from './iso-time.ts';
import type { Db } from './schema.ts';
import { parseStored } from './stored-json.ts';

/** Postings read to find candidates. Rare terms come first, so what is left out are words that half the store has. */
const maxPostings = 1000;
const maxCandidates = 60;
/** Common terms that complete the scores of candidates; still more common ones change nothing. */
const maxCommon = 12;

export async function searchLearnings(
  db: Db,
  query: LearningQuery,
): Promise<readonly FoundLearning[]> {
  const known = await findBySignature(db, query);
  if (known.length >= query.limit) return known.slice(0, query.limit);
  const found = await findByText(db, query);
  const ids = new Set(known.map(({ id }) => id));
  return [...known, ...found.filter(({ id }) => !ids.has(id))].slice(0, query.limit);
}

async function findBySignature(
  db: Db,
  { signature, limit }: LearningQuery,
): Promise<readonly FoundLearning[]> {
  if (signature === null) return [];
  const rows = await db
    .selectFrom('learnings')
    .select('id')
    .where('signature', '=', signature)
    .where('status', 'in', ['candidate', 'active'])
    .where('superseded_by', 'is', null)
    .orderBy((expression) => expression('harmful', '-', expression.ref('helpful')))
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => ({ id, score: 100, why: 'the same failure' }));
}

async function findByText(db: Db, query: LearningQuery): Promise<readonly FoundLearning[]> {
  const totals = await readTotals(db);
  const weights = queryWeights(query);
  if (totals.documents === 0 || weights.size === 0) return [];
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
  });
  return query.withUnlikely === true || isLikely(selection.likelihood) ? selection.results : [];
}

type StoreTotals = Totals & { readonly oldest: number; readonly newest: number };

async function readTotals(db: Db): Promise<StoreTotals> {
  const { documents, length } = await db
    .selectFrom('learning_totals')
    .select(['documents', 'length'])
    .executeTakeFirstOrThrow();
  const edge = async (order: 'asc' | 'desc'): Promise<number> => {
    const row = await db
      .selectFrom('learnings')
      .select('created_at')
      .orderBy('created_at', order)
      .limit(1)
      .executeTakeFirst();
    return row === undefined ? 0 : fromIso(row.created_at);
  };
  return { documents, length, oldest: await edge('asc'), newest: await edge('desc') };
}

type KnownTerm = StoredTerm & { readonly id: number };

async function readTerms(db: Db, words: readonly string[]): Promise<readonly KnownTerm[]> {
  const rows = await db
    .selectFrom('learning_terms')
    .select(['id', 'term', 'documents', 'path_documents'])
    .where('term', 'in', words)
    .execute();
  return rows.map(({ id, term, documents, path_documents: pathDocuments }) => ({
    id,
    term,
    documents,
    pathDocuments,
  }));
}

type Match = { length: number; score: number; readonly terms: Map<string, Occurrences> };

/** The best documents by the rare terms, then completed with the common ones. */
async function readMatches(
  db: Db,
  terms: readonly KnownTerm[],
  values: ReadonlyMap<string, number>,
  totals: Totals,
): Promise<ReadonlyMap<number, Match>> {
  const { rare, common } = splitTerms(terms);
  const all = new Map<number, Match>();
  for (const { term, postings } of await readPostings(db, rare)) {
    const value = values.get(term) ?? 0;
    for (const { documentId, length, found } of postings) {
      const match = all.get(documentId) ?? { length, score: 0, terms: new Map() };
      match.terms.set(term, found);
      match.score += value * saturate(found, length, totals);
      all.set(documentId, match);
    }
  }
  const best = [...all]
    .toSorted(([a, { score }], [b, other]) => other.score - score || b - a)
    .slice(0, maxCandidates);
  const matches = new Map(best);
  await addCommon(db, common, matches);
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

/** A row for each term, not for each posting: making rows is what costs. */
async function readPostings(
  db: Db,
  terms: readonly KnownTerm[],
): Promise<readonly { readonly term: string; readonly postings: readonly Posting[] }[]> {
  if (terms.length === 0) return [];
  const words = new Map(terms.map(({ id, term }) => [id, term]));
  const packed = sql<string>`string_agg(document_id || ' ' || text_count || ' ' || path_count || ' ' || length, ' ')`;
  const rows = await db
    .selectFrom((from) =>
      from
        .selectFrom('learning_postings')
        .selectAll()
        .where('term_id', 'in', [...words.keys()])
        // Only a query of common words alone meets this limit.
        .limit(maxPostings)
        .as('posting'),
    )
    .select(['term_id', packed.as('packed')])
    .groupBy('term_id')
    .orderBy('term_id')
    .execute();
  return rows.map((row) => ({
    term: words.get(row.term_id) ?? '',
    postings: unpack(row.packed),
  }));
}

function unpack(packed: string): readonly Posting[] {
  const numbers = packed.split(' ').map(Number);
  const postings: Posting[] = [];
  for (let i = 0; i < numbers.length; i += 4) {
    const [documentId = 0, text = 0, path = 0, length = 0] = numbers.slice(i, i + 4);
    postings.push({ documentId, length, found: { text, path } });
  }
  return postings;
}

async function addCommon(
  db: Db,
  common: readonly KnownTerm[],
  matches: ReadonlyMap<number, Match>,
): Promise<void> {
  if (common.length === 0 || matches.size === 0) return;
  const words = new Map(common.map(({ id, term }) => [id, term]));
  const rows = await db
    .selectFrom('learning_postings')
    .select(['term_id', 'document_id', 'text_count', 'path_count'])
    .where('term_id', 'in', [...words.keys()])
    .where('document_id', 'in', [...matches.keys()])
    .execute();
  for (const row of rows) {
    const word = words.get(row.term_id) ?? '';
    const found = { text: row.text_count, path: row.path_count };
    matches.get(row.document_id)?.terms.set(word, found);
  }
}

async function readCandidates(
  db: Db,
  matches: ReadonlyMap<number, Match>,
): Promise<readonly Candidate[]> {
  if (matches.size === 0) return [];
  const documents = await db
    .selectFrom('learning_documents')
    .select(['id', 'learning_id'])
    .where('id', 'in', [...matches.keys()])
    .execute();
  const byLearning = new Map(documents.map((each) => [each.learning_id, matches.get(each.id)]));
  // Not a join with conditions: a planner without statistics would begin at the status, which nearly all share.
  const rows = await db
    .selectFrom('learnings')
    .select(['id', 'category', 'content', 'paths', 'scope', 'helpful', 'harmful'])
    .select(['status', 'superseded_by', 'created_at', 'last_used_at', 'stale_at'])
    .where('id', 'in', [...byLearning.keys()])
    .execute();
  return rows.flatMap((row) => {
    const match = byLearning.get(row.id);
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
  const rows = await db
    .selectFrom('learning_terms')
    .select(['term', 'documents'])
    .where('term', 'in', paths.map(pathTerm))
    .execute();
  return new Map(rows.map(({ term, documents }) => [term.slice(1), documents]));
}

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
const maxPostings = 2000;
const maxCandidates = 100;

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
  const { scope, now, limit } = query;
  const selection = selectLearnings({
    ...{ weights, terms, totals, candidates, pathDocuments },
    ...{ scope, now, limit },
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
    ...{ id, term, documents, pathDocuments },
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
  for (const term of rare) {
    const value = values.get(term.term) ?? 0;
    for (const row of await postingsOf(db, term.id)) {
      const found = { text: row.text_count, path: row.path_count };
      const match = all.get(row.document_id) ?? { length: row.length, score: 0, terms: new Map() };
      match.terms.set(term.term, found);
      match.score += value * saturate(found, row.length, totals);
      all.set(row.document_id, match);
    }
  }
  const best = [...all]
    .toSorted(([a, { score }], [b, other]) => other.score - score || b - a)
    .slice(0, maxCandidates);
  const matches = new Map(best);
  await addCommon(db, common, matches);
  return matches;
}

/** Terms within the limit on postings, rarest first; at least one. */
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
    : { rare: sorted.slice(0, end), common: sorted.slice(end) };
}

async function postingsOf(
  db: Db,
  termId: number,
): Promise<
  readonly { document_id: number; text_count: number; path_count: number; length: number }[]
> {
  return db
    .selectFrom('learning_postings')
    .select(['document_id', 'text_count', 'path_count', 'length'])
    .where('term_id', '=', termId)
    .orderBy('document_id', 'desc')
    .limit(maxPostings)
    .execute();
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
  const rows = await db
    .selectFrom('learning_documents')
    .innerJoin('learnings', 'learnings.id', 'learning_documents.learning_id')
    .select(['learning_documents.id as document', 'learnings.id', 'category', 'content', 'paths'])
    .select(['scope', 'created_at', 'last_used_at', 'stale_at', 'helpful', 'harmful'])
    .where('learning_documents.id', 'in', [...matches.keys()])
    .where('status', 'in', ['candidate', 'active'])
    .where('superseded_by', 'is', null)
    .execute();
  return rows.flatMap((row) => {
    const match = matches.get(row.document);
    if (match === undefined) return [];
    const { id, category, content, scope, helpful, harmful } = row;
    return [
      {
        ...{ id, category, content, scope, helpful, harmful },
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

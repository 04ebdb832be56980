import { sql } from 'kysely';
import { indexDocument, type IndexedDocument } from '../../core/memory/rank/document.ts';
import type { LearningIndex } from '../../ports/learning-index.ts';
import { listed, rowsOf } from './json-list.ts';
import { searchLearnings } from './learning-search.ts';
import type { Db } from './schema.ts';
import type { SearchThread } from './search-thread.ts';

/** The learning index over one transaction, in plain tables: the same ranking is possible on any database. */
export function createLearningIndex(db: Db): LearningIndex {
  return {
    search: (query) => searchLearnings(db, query),
    async add(learnings) {
      if (learnings.length === 0) return;
      const documents = new Map(learnings.map((each) => [each.id, indexDocument(each)]));
      const ids = await insertDocuments(db, documents);
      const termIds = await countTerms(db, [...documents.values()]);
      await insertPostings(db, { documents, ids, termIds });
      const lengths = [...documents.values()].map(({ length }) => length);
      await changeTotals(
        db,
        documents.size,
        lengths.reduce((sum, length) => sum + length, 0),
      );
    },
    async remove(learning) {
      const row = await db
        .deleteFrom('learning_documents')
        .where('learning_id', '=', learning.id)
        .returning(['id', 'length'])
        .executeTakeFirst();
      if (row === undefined) return;
      await removeTerms(db, row.id, indexDocument(learning));
      await changeTotals(db, -1, -row.length);
    },
  };
}

/** The same over a read, with searches of a store of at least `from` learnings on a thread. */
export function createThreadedIndex(db: Db, thread: SearchThread, from: number): LearningIndex {
  const index = createLearningIndex(db);
  return {
    ...index,
    async search(query) {
      const { documents } = await db
        .selectFrom('learning_totals')
        .select('documents')
        .executeTakeFirstOrThrow();
      const found = documents < from ? null : await thread.search(query);
      return found ?? index.search(query);
    },
  };
}

type Documents = ReadonlyMap<string, IndexedDocument>;
type Ids = ReadonlyMap<string, number>;

async function insertDocuments(db: Db, documents: Documents): Promise<Ids> {
  const values = [...documents].map(([id, { length }]) => [id, length]);
  const { rows } = await sql<{ readonly id: number; readonly learning_id: string }>`
    insert into learning_documents (learning_id, length)
    select value ->> 0, value ->> 1 from ${rowsOf(values)}
    returning id, learning_id`.execute(db);
  return new Map(rows.map((row) => [row.learning_id, row.id]));
}

/** Counts the learnings at each of their terms; the ids of the terms. */
async function countTerms(db: Db, documents: readonly IndexedDocument[]): Promise<Ids> {
  const counts = new Map<string, { documents: number; pathDocuments: number }>();
  for (const { terms } of documents) {
    for (const [term, { path }] of terms) {
      const count = counts.get(term) ?? { documents: 0, pathDocuments: 0 };
      count.documents++;
      if (path > 0) count.pathDocuments++;
      counts.set(term, count);
    }
  }
  const values = [...counts].map(([term, count]) => [term, count.documents, count.pathDocuments]);
  const { rows } = await sql<{ readonly id: number; readonly term: string }>`
    insert into learning_terms (term, documents, path_documents)
    select value ->> 0, value ->> 1, value ->> 2 from ${rowsOf(values)} where true
    on conflict (term) do update set
      documents = learning_terms.documents + excluded.documents,
      path_documents = learning_terms.path_documents + excluded.path_documents
    returning id, term`.execute(db);
  return new Map(rows.map(({ id, term }) => [term, id]));
}

type Counted = { readonly documents: Documents; readonly ids: Ids; readonly termIds: Ids };

async function insertPostings(db: Db, { documents, ids, termIds }: Counted): Promise<void> {
  const values: number[][] = [];
  for (const [learningId, { terms, length }] of documents) {
    const id = ids.get(learningId);
    for (const [term, { text, path }] of terms) {
      const termId = termIds.get(term);
      if (id === undefined || termId === undefined || text + path === 0) continue;
      values.push([termId, id, text, path, length]);
    }
  }
  // In the order of the table: neighbours go to the same page.
  values.sort(([a = 0, one = 0], [b = 0, other = 0]) => a - b || one - other);
  await sql`
    insert into learning_postings (term_id, document_id, text_count, path_count, length)
    select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 from ${rowsOf(values)}`.execute(
    db,
  );
}

async function removeTerms(db: Db, documentId: number, { terms }: IndexedDocument): Promise<void> {
  const rows = await db
    .selectFrom('learning_terms')
    .select(['id', 'term'])
    .where('term', 'in', listed([...terms.keys()]))
    .execute();
  const inPaths = rows.filter(({ term }) => (terms.get(term)?.path ?? 0) > 0).map(({ id }) => id);
  const ids = rows.map(({ id }) => id);
  await db
    .deleteFrom('learning_postings')
    .where('term_id', 'in', listed(ids))
    .where('document_id', '=', documentId)
    .execute();
  await decrease(db, 'documents', ids);
  await decrease(db, 'path_documents', inPaths);
  await db
    .deleteFrom('learning_terms')
    .where('id', 'in', listed(ids))
    .where('documents', '=', 0)
    .execute();
}

async function decrease(
  db: Db,
  column: 'documents' | 'path_documents',
  ids: readonly number[],
): Promise<void> {
  await db
    .updateTable('learning_terms')
    .set((expression) => ({ [column]: expression(column, '-', 1) }))
    .where('id', 'in', listed(ids))
    .execute();
}

async function changeTotals(db: Db, documents: number, length: number): Promise<void> {
  await db
    .updateTable('learning_totals')
    .set((expression) => ({
      documents: expression('documents', '+', documents),
      length: expression('length', '+', length),
    }))
    .where('id', '=', 1)
    .execute();
}

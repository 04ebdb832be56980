import { indexDocument, type IndexedDocument } from '../../core/memory/rank/document.ts';
import type { LearningIndex } from '../../ports/learning-index.ts';
import { listed, rowsOf } from './json-list.ts';
import { searchLearnings } from './learning-search.ts';
import type { LearningDocumentsTable, LearningTermsTable } from './schema-learning-index.ts';
import type { Db } from './schema.ts';
import { sql } from './sql.ts';
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
      const row = await db.first(
        sql<Pick<LearningDocumentsTable, 'id' | 'length'>>`
          delete from learning_documents where learning_id = ${learning.id} returning id, length`,
      );
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
      const { documents } = await db.one(
        sql<{ documents: number }>`select documents from learning_totals`,
      );
      const found = documents < from ? null : await thread.search(query);
      return found ?? index.search(query);
    },
  };
}

type Documents = ReadonlyMap<string, IndexedDocument>;
type Ids = ReadonlyMap<string, number>;

async function insertDocuments(db: Db, documents: Documents): Promise<Ids> {
  const values = [...documents].map(([id, { length }]) => [id, length]);
  const rows = await db.all(sql<{ readonly id: number; readonly learning_id: string }>`
    insert into learning_documents (learning_id, length)
    select value ->> 0, value ->> 1 from ${rowsOf(values)}
    returning id, learning_id`);
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
  const rows = await db.all(sql<{ readonly id: number; readonly term: string }>`
    insert into learning_terms (term, documents, path_documents)
    select value ->> 0, value ->> 1, value ->> 2 from ${rowsOf(values)} where true
    on conflict (term) do update set
      documents = learning_terms.documents + excluded.documents,
      path_documents = learning_terms.path_documents + excluded.path_documents
    returning id, term`);
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
  await db.run(sql`
    insert into learning_postings (term_id, document_id, text_count, path_count, length)
    select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 from ${rowsOf(values)}`);
}

async function removeTerms(db: Db, documentId: number, { terms }: IndexedDocument): Promise<void> {
  const rows = await db.all(
    sql<Pick<LearningTermsTable, 'id' | 'term'>>`
      select id, term from learning_terms where term in ${listed([...terms.keys()])}`,
  );
  const inPaths = rows.filter(({ term }) => (terms.get(term)?.path ?? 0) > 0).map(({ id }) => id);
  const ids = rows.map(({ id }) => id);
  await db.run(sql`
    delete from learning_postings where term_id in ${listed(ids)} and document_id = ${documentId}`);
  await db.run(sql`
    update learning_terms set documents = documents - 1 where id in ${listed(ids)}`);
  await db.run(sql`
    update learning_terms set path_documents = path_documents - 1 where id in ${listed(inPaths)}`);
  await db.run(sql`delete from learning_terms where id in ${listed(ids)} and documents = 0`);
}

async function changeTotals(db: Db, documents: number, length: number): Promise<void> {
  await db.run(sql`
    update learning_totals set documents = documents + ${documents}, length = length + ${length}
    where id = 1`);
}

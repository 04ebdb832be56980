import { sql } from 'kysely';
import { indexDocument, type IndexedDocument } from '../../core/memory/rank/document.ts';
import type { LearningIndex } from '../../ports/learning-index.ts';
import { searchLearnings } from './learning-search.ts';
import type { Db } from './schema.ts';

/** The learning index over one transaction. Plain tables and portable queries: the same ranking on any database. */
export function createLearningIndex(db: Db): LearningIndex {
  return {
    search: (query) => searchLearnings(db, query),
    async add(learning) {
      const document = indexDocument(learning);
      const { id } = await db
        .insertInto('learning_documents')
        .values({ learning_id: learning.id, length: document.length })
        .returning('id')
        .executeTakeFirstOrThrow();
      const termIds = await countTerms(db, document);
      await insertPostings(db, id, document, termIds);
      await changeTotals(db, 1, document.length);
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

/** A statement takes a bounded number of values. */
const batch = 100;

/** Counts the learning at each of its terms; the ids of the terms. */
async function countTerms(
  db: Db,
  { terms }: IndexedDocument,
): Promise<ReadonlyMap<string, number>> {
  const ids = new Map<string, number>();
  for (const part of batches([...terms])) {
    const rows = await db
      .insertInto('learning_terms')
      .values(
        part.map(([term, { path }]) => ({ term, documents: 1, path_documents: path > 0 ? 1 : 0 })),
      )
      .onConflict((conflict) =>
        conflict.column('term').doUpdateSet({
          documents: sql`learning_terms.documents + excluded.documents`,
          path_documents: sql`learning_terms.path_documents + excluded.path_documents`,
        }),
      )
      .returning(['id', 'term'])
      .execute();
    for (const { id, term } of rows) ids.set(term, id);
  }
  return ids;
}

async function insertPostings(
  db: Db,
  documentId: number,
  { terms, length }: IndexedDocument,
  termIds: ReadonlyMap<string, number>,
): Promise<void> {
  const rows = [...terms].flatMap(([term, { text, path }]) => {
    const termId = termIds.get(term);
    if (termId === undefined || text + path === 0) return [];
    const counts = { text_count: text, path_count: path, length };
    return [{ term_id: termId, document_id: documentId, ...counts }];
  });
  for (const part of batches(rows)) {
    await db.insertInto('learning_postings').values(part).execute();
  }
}

async function removeTerms(db: Db, documentId: number, { terms }: IndexedDocument): Promise<void> {
  for (const part of batches([...terms])) {
    const words = part.map(([term]) => term);
    const rows = await db
      .selectFrom('learning_terms')
      .select(['id', 'term'])
      .where('term', 'in', words)
      .execute();
    const inPaths = rows.filter(({ term }) => (terms.get(term)?.path ?? 0) > 0).map(({ id }) => id);
    const ids = rows.map(({ id }) => id);
    await db
      .deleteFrom('learning_postings')
      .where('term_id', 'in', ids)
      .where('document_id', '=', documentId)
      .execute();
    await decrease(db, 'documents', ids);
    await decrease(db, 'path_documents', inPaths);
    await db
      .deleteFrom('learning_terms')
      .where('id', 'in', ids)
      .where('documents', '=', 0)
      .execute();
  }
}

async function decrease(
  db: Db,
  column: 'documents' | 'path_documents',
  ids: readonly number[],
): Promise<void> {
  if (ids.length === 0) return;
  await db
    .updateTable('learning_terms')
    .set((expression) => ({ [column]: expression(column, '-', 1) }))
    .where('id', 'in', ids)
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

function batches<T>(items: readonly T[]): readonly (readonly T[])[] {
  const parts: T[][] = [];
  for (let i = 0; i < items.length; i += batch) parts.push(items.slice(i, i + batch));
  return parts;
}

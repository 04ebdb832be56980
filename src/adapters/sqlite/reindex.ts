import { indexRule } from '../../core/memory/rank/document.ts';
import { createLearningIndex } from './learning-index.ts';
import type { LearningsTable } from './schema-memory.ts';
import type { Db } from './schema.ts';
import { sql } from './sql.ts';
import { parseStored } from './stored-json.ts';
import type { Transactions } from './transactions.ts';

/** The migration since which a store knows the rule of its index. */
const since = 8;
const batch = 500;

/**
 * Indexes all learnings anew when the index was written by another rule: what it has would not be found, and not be
 * removed, by the terms of today. In one transaction; of several processes one does it.
 */
export async function reindex(
  reads: Transactions,
  writes: Transactions,
  version: number,
): Promise<void> {
  if (version < since || (await reads.run(isCurrent))) return;
  await writes.run(async (db) => {
    if (await isCurrent(db)) return;
    await db.run(sql`delete from learning_postings`);
    await db.run(sql`delete from learning_documents`);
    await db.run(sql`delete from learning_terms`);
    await db.run(sql`update learning_totals set documents = 0, length = 0, rule = ${indexRule}`);
    await indexAll(db);
  });
}

async function isCurrent(db: Db): Promise<boolean> {
  const { rule } = await db.one(sql<{ rule: number }>`select rule from learning_totals`);
  return rule === indexRule;
}

type Row = Pick<LearningsTable, 'id' | 'content' | 'relevance_tags' | 'paths'>;

async function indexAll(db: Db): Promise<void> {
  const index = createLearningIndex(db);
  for (let after = ''; ;) {
    const rows = await db.all(sql<Row>`
      select id, content, relevance_tags, paths from learnings
      where id > ${after} and status in ('candidate', 'active') and superseded_by is null
      order by id limit ${batch}`);
    const last = rows.at(-1);
    if (last === undefined) return;
    await index.add(
      rows.map(({ id, content, relevance_tags, paths }) => ({
        id,
        content,
        tags: parseStored<string[]>(relevance_tags, `learning ${id}`),
        paths: parseStored<string[]>(paths, `learning ${id}`),
      })),
    );
    after = last.id;
  }
}

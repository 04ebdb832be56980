import { sql, type Insertable, type Selectable, type Updateable } from 'kysely';
import { LoopwrightError } from '../../core/error.ts';
import {
  learningStatuses,
  type Learning,
  type LearningStatus,
} from '../../core/memory/learning.ts';
import { pathTerm } from '../../core/memory/rank/document.ts';
import type { LearningChange, LearningFilter, Learnings, NewLearning } from '../../ports/memory.ts';
import { createInjected } from './injected-items.ts';
import { listed } from './json-list.ts';
import { createLearningIndex } from './learning-index.ts';
import { fromIso, fromIsoOrNull, toIso, toIsoOrNull } from './iso-time.ts';
import type { LearningsTable } from './schema-memory.ts';
import type { Db } from './schema.ts';
import { parseStored } from './stored-json.ts';

/** Learnings over one transaction. */
export function createLearnings(db: Db): Learnings {
  const index = createLearningIndex(db);
  return {
    ...createInjected(db),
    async add(learning) {
      await db.insertInto('learnings').values(toRow(learning)).execute();
      if (isSearched(learning)) await index.add([toIndexed(learning)]);
    },
    async addMissing(learnings) {
      const added = await insertMissing(db, learnings);
      await index.add(added.filter(isSearched).map(toIndexed));
      return added.length;
    },
    get: (id) => getLearning(db, id),
    async findSame(category, content) {
      const row = await db
        .selectFrom('learnings')
        .select('id')
        .where('category', '=', category)
        .where('content', '=', content)
        .where('pruned_at', 'is', null)
        .executeTakeFirst();
      return row?.id ?? null;
    },
    list: (filter) => listLearnings(db, filter),
    async edit(id, change) {
      const row = toUpdate(change);
      if (Object.keys(row).length === 0) return;
      const isIndexed = indexedFields.some((field) => change[field] !== undefined);
      const before = isIndexed ? await getLearning(db, id) : null;
      await db.updateTable('learnings').set(row).where('id', '=', id).execute();
      if (before === null) return;
      const after = { ...before, ...change };
      await index.remove(before);
      if (isSearched(after)) await index.add([after]);
    },
    async delete(id) {
      const learning = await getLearning(db, id);
      if (learning !== null) await index.remove(learning);
      await db.deleteFrom('learnings').where('id', '=', id).execute();
    },
    countByStatus: () => countByStatus(db),
    async findOld({ createdBefore, usedBefore }) {
      const rows = await db
        .selectFrom('learnings')
        .select('id')
        .where('pruned_at', 'is', null)
        .where('created_at', '<', toIso(createdBefore))
        .where((where) =>
          where.or([
            where('last_used_at', 'is', null),
            where('last_used_at', '<', toIso(usedBefore)),
          ]),
        )
        .orderBy('id')
        .execute();
      return rows.map(({ id }) => id);
    },
    async markStale(paths, besides, now) {
      const named = await namedByLearnings(db, paths);
      // Mostly nobody has learned anything about them; then no learning is looked at.
      if (named.length === 0) return;
      await db
        .updateTable('learnings')
        .set({ stale_at: toIso(now) })
        .where('pruned_at', 'is', null)
        .where('stale_at', 'is', null)
        .where(
          sql<boolean>`exists (select 1 from json_each(paths) where value in ${listed(named)})`,
        )
        .where((where) => where.or([where('loop_id', 'is', null), where('loop_id', '<>', besides)]))
        .execute();
    },
    resolve: (reference) => resolveLearning(db, reference),
    async lastMerge() {
      const row = await db
        .selectFrom('learnings')
        .select('created_at')
        .where('origin', '=', 'merge')
        .orderBy('created_at', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row === undefined ? null : fromIso(row.created_at);
    },
  };
}

/** Those of some paths that a learning in use names. */
async function namedByLearnings(db: Db, paths: readonly string[]): Promise<readonly string[]> {
  if (paths.length === 0) return [];
  const byTerm = new Map(paths.map((each) => [pathTerm(each), each]));
  const rows = await db
    .selectFrom('learning_terms')
    .select('term')
    .where('term', 'in', listed([...byTerm.keys()]))
    .execute();
  return rows.flatMap(({ term }) => byTerm.get(term) ?? []);
}

const indexedFields = ['content', 'tags', 'paths', 'status', 'supersededBy'] as const;

/** The index holds what may be given to an agent. */
function isSearched({ status, supersededBy }: Partial<Learning>): boolean {
  return status !== 'demoted' && status !== 'pruned' && (supersededBy ?? null) === null;
}

function toIndexed({ id, content, tags, paths = [] }: NewLearning) {
  return { id, content, tags, paths };
}

/** A statement takes a bounded number of values. */
const rowsAtOnce = 100;

/** Those that were not there; of several with one id the first. */
async function insertMissing(
  db: Db,
  learnings: readonly NewLearning[],
): Promise<readonly NewLearning[]> {
  const byId = new Map<string, NewLearning>();
  for (const learning of learnings) {
    if (!byId.has(learning.id)) byId.set(learning.id, learning);
  }
  const wanted = [...byId.values()];
  const added: NewLearning[] = [];
  for (let i = 0; i < wanted.length; i += rowsAtOnce) {
    const part = wanted.slice(i, i + rowsAtOnce);
    const rows = await db
      .insertInto('learnings')
      .values(part.map(toRow))
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id')
      .execute();
    const ids = new Set(rows.map(({ id }) => id));
    added.push(...part.filter(({ id }) => ids.has(id)));
  }
  return added;
}

async function getLearning(db: Db, id: string): Promise<Learning | null> {
  const row = await db.selectFrom('learnings').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? null : fromRow(row);
}

async function listLearnings(db: Db, filter: LearningFilter): Promise<readonly Learning[]> {
  if (filter.statuses?.length === 0) return [];
  let query = db
    .selectFrom('learnings')
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc');
  if (filter.statuses !== undefined) query = query.where('status', 'in', filter.statuses);
  if (filter.category !== undefined) query = query.where('category', '=', filter.category);
  if (filter.loopId !== undefined) query = query.where('loop_id', '=', filter.loopId);
  if (filter.taskId !== undefined) query = query.where('task_id', '=', filter.taskId);
  if (filter.supersededBy !== undefined) {
    query = query.where('superseded_by', '=', filter.supersededBy);
  }
  if (filter.limit !== undefined) query = query.limit(filter.limit);
  return (await query.execute()).map(fromRow);
}

const namedCandidates = 5;

async function resolveLearning(db: Db, reference: string): Promise<Learning> {
  const rows = await db
    .selectFrom('learnings')
    .selectAll()
    .where('id', '>=', reference)
    .where('id', '<', `${reference}\u{10ffff}`)
    .orderBy('id')
    .limit(namedCandidates + 1)
    .execute();
  const found =
    rows.find(({ id }) => id === reference) ?? (rows.length === 1 ? rows[0] : undefined);
  if (found !== undefined) return fromRow(found);
  const names = rows.slice(0, namedCandidates).map(({ id }) => id);
  throw names.length === 0
    ? new LoopwrightError('memory.not_found', `there is no learning ${reference}`, {
        hint: 'see `loopwright memory list`',
      })
    : new LoopwrightError(
        'memory.ambiguous',
        `${reference} can be ${names.join(', ')}${rows.length > namedCandidates ? ' and more' : ''}`,
        { hint: 'give more of the id' },
      );
}

async function countByStatus(db: Db): Promise<Readonly<Record<LearningStatus, number>>> {
  const rows = await db
    .selectFrom('learnings')
    .select(['status', (expression) => expression.fn.countAll<number>().as('count')])
    .groupBy('status')
    .execute();
  const counts = { candidate: 0, active: 0, demoted: 0, pruned: 0 };
  for (const status of learningStatuses) {
    counts[status] = rows.find((row) => row.status === status)?.count ?? 0;
  }
  return counts;
}

function toRow(learning: NewLearning): Insertable<LearningsTable> {
  return {
    id: learning.id,
    task_id: learning.taskId ?? null,
    loop_id: learning.loopId ?? null,
    iteration: learning.iteration ?? null,
    origin: learning.origin,
    category: learning.category,
    content: learning.content,
    relevance_tags: JSON.stringify(learning.tags),
    paths: JSON.stringify(learning.paths ?? []),
    scope: learning.scope ?? null,
    signature: learning.signature ?? null,
    created_at: toIso(learning.createdAt),
    last_used_at: toIsoOrNull(learning.lastUsedAt),
    helpful: learning.helpful ?? 0,
    harmful: learning.harmful ?? 0,
    status: learning.status ?? 'candidate',
    by_hand: learning.byHand === true ? 1 : 0,
    stale_at: toIsoOrNull(learning.staleAt),
    pruned_at: toIsoOrNull(learning.prunedAt),
    superseded_by: learning.supersededBy ?? null,
  };
}

function toUpdate(change: LearningChange): Updateable<LearningsTable> {
  const { category, content, scope, signature, helpful, harmful, status, supersededBy } = change;
  const row: Updateable<LearningsTable> = {
    category,
    content,
    scope,
    signature,
    helpful,
    harmful,
    status,
    superseded_by: supersededBy,
    relevance_tags: change.tags === undefined ? undefined : JSON.stringify(change.tags),
    paths: change.paths === undefined ? undefined : JSON.stringify(change.paths),
    by_hand: change.byHand === undefined ? undefined : change.byHand ? 1 : 0,
    last_used_at: change.lastUsedAt === undefined ? undefined : toIsoOrNull(change.lastUsedAt),
    stale_at: change.staleAt === undefined ? undefined : toIsoOrNull(change.staleAt),
    pruned_at: change.prunedAt === undefined ? undefined : toIsoOrNull(change.prunedAt),
  };
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined));
}

function fromRow(row: Selectable<LearningsTable>): Learning {
  const what = `learning ${row.id}`;
  return {
    id: row.id,
    taskId: row.task_id,
    loopId: row.loop_id,
    iteration: row.iteration,
    origin: row.origin,
    category: row.category,
    content: row.content,
    tags: parseStored<string[]>(row.relevance_tags, what),
    paths: parseStored<string[]>(row.paths, what),
    scope: row.scope,
    signature: row.signature,
    createdAt: fromIso(row.created_at),
    lastUsedAt: fromIsoOrNull(row.last_used_at),
    helpful: row.helpful,
    harmful: row.harmful,
    status: row.status,
    byHand: row.by_hand === 1,
    staleAt: fromIsoOrNull(row.stale_at),
    prunedAt: fromIsoOrNull(row.pruned_at),
    supersededBy: row.superseded_by,
  };
}

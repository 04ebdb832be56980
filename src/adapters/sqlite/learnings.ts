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
import { allOf, assigned, inserted, sql } from './sql.ts';
import { parseStored } from './stored-json.ts';

/** Learnings over one transaction. */
export function createLearnings(db: Db): Learnings {
  const index = createLearningIndex(db);
  return {
    ...createInjected(db),
    async add(learning) {
      await db.run(sql`insert into learnings ${inserted<LearningsTable>(toRow(learning))}`);
      if (isSearched(learning)) await index.add([toIndexed(learning)]);
    },
    async addMissing(learnings) {
      const added = await insertMissing(db, learnings);
      await index.add(added.filter(isSearched).map(toIndexed));
      return added.length;
    },
    get: (id) => getLearning(db, id),
    async findSame(category, content) {
      const row = await db.first(
        sql<Pick<LearningsTable, 'id'>>`
          select id from learnings
          where category = ${category} and content = ${content} and pruned_at is null limit 1`,
      );
      return row?.id ?? null;
    },
    list: (filter) => listLearnings(db, filter),
    async edit(id, change) {
      const row = toUpdate(change);
      if (Object.keys(row).length === 0) return;
      const isIndexed = indexedFields.some((field) => change[field] !== undefined);
      const before = isIndexed ? await getLearning(db, id) : null;
      await db.run(sql`update learnings set ${assigned<LearningsTable>(row)} where id = ${id}`);
      if (before === null) return;
      const after = { ...before, ...change };
      await index.remove(before);
      if (isSearched(after)) await index.add([after]);
    },
    async delete(id) {
      const learning = await getLearning(db, id);
      if (learning !== null) await index.remove(learning);
      await db.run(sql`delete from learnings where id = ${id}`);
    },
    countByStatus: () => countByStatus(db),
    async findOld({ createdBefore, usedBefore }) {
      const rows = await db.all(
        sql<Pick<LearningsTable, 'id'>>`
          select id from learnings
          where pruned_at is null and created_at < ${toIso(createdBefore)}
            and (last_used_at is null or last_used_at < ${toIso(usedBefore)})
          order by id`,
      );
      return rows.map(({ id }) => id);
    },
    async markStale(paths, besides, now) {
      const named = await namedByLearnings(db, paths);
      // Mostly nobody has learned anything about them; then no learning is looked at.
      if (named.length === 0) return;
      await db.run(sql`
        update learnings set stale_at = ${toIso(now)}
        where pruned_at is null and stale_at is null
          and exists (select 1 from json_each(paths) where value in ${listed(named)})
          and (loop_id is null or loop_id <> ${besides})`);
    },
    resolve: (reference) => resolveLearning(db, reference),
    async lastMerge() {
      const row = await db.first(
        sql<Pick<LearningsTable, 'created_at'>>`
          select created_at from learnings where origin = 'merge' order by created_at desc limit 1`,
      );
      return row === undefined ? null : fromIso(row.created_at);
    },
  };
}

/** Those of some paths that a learning in use names. */
async function namedByLearnings(db: Db, paths: readonly string[]): Promise<readonly string[]> {
  if (paths.length === 0) return [];
  const byTerm = new Map(paths.map((each) => [pathTerm(each), each]));
  const rows = await db.all(
    sql<{ term: string }>`
      select term from learning_terms where term in ${listed([...byTerm.keys()])}`,
  );
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

/** Those that were not there; of several with one id the first. */
async function insertMissing(
  db: Db,
  learnings: readonly NewLearning[],
): Promise<readonly NewLearning[]> {
  const added: NewLearning[] = [];
  for (const given of learnings) {
    const learning = await withoutLostPointers(db, given);
    const row = inserted<LearningsTable>(toRow(learning));
    const isNew =
      (await db.run(sql`insert into learnings ${row} on conflict (id) do nothing`)) === 1;
    if (isNew) added.push(learning);
  }
  return added;
}

/** What it came from, or what stands for it, need not be here; what is replaced stays out of use all the same. */
async function withoutLostPointers(db: Db, learning: NewLearning): Promise<NewLearning> {
  const { taskId = null, supersededBy = null } = learning;
  const task =
    taskId === null ? undefined : await db.first(sql`select 1 from tasks where id = ${taskId}`);
  const successor =
    supersededBy === null
      ? undefined
      : await db.first(sql`select 1 from learnings where id = ${supersededBy}`);
  const isLost = supersededBy !== null && successor === undefined;
  return {
    ...learning,
    taskId: task === undefined ? null : taskId,
    supersededBy: isLost ? null : supersededBy,
    ...(isLost ? { status: 'pruned', prunedAt: learning.prunedAt ?? learning.createdAt } : {}),
  };
}

async function getLearning(db: Db, id: string): Promise<Learning | null> {
  const row = await db.first(sql<LearningsTable>`select * from learnings where id = ${id}`);
  return row === undefined ? null : fromRow(row);
}

async function listLearnings(db: Db, filter: LearningFilter): Promise<readonly Learning[]> {
  if (filter.statuses?.length === 0) return [];
  const { statuses, category, loopId, taskId, supersededBy, limit } = filter;
  const where = allOf(
    statuses === undefined ? null : sql`status in ${listed(statuses)}`,
    category === undefined ? null : sql`category = ${category}`,
    loopId === undefined ? null : sql`loop_id = ${loopId}`,
    taskId === undefined ? null : sql`task_id = ${taskId}`,
    supersededBy === undefined ? null : sql`superseded_by = ${supersededBy}`,
  );
  const rows = await db.all(
    sql<LearningsTable>`
      select * from learnings where ${where} order by created_at desc, id desc
      ${limit === undefined ? sql`` : sql`limit ${limit}`}`,
  );
  return rows.map(fromRow);
}

const namedCandidates = 5;

async function resolveLearning(db: Db, reference: string): Promise<Learning> {
  const rows = await db.all(
    sql<LearningsTable>`
      select * from learnings where id >= ${reference} and id < ${`${reference}\u{10ffff}`}
      order by id limit ${namedCandidates + 1}`,
  );
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
  const rows = await db.all(
    sql<Pick<LearningsTable, 'status'> & { count: number }>`
      select status, count(*) as count from learnings group by status`,
  );
  const counts = { candidate: 0, active: 0, demoted: 0, pruned: 0 };
  for (const status of learningStatuses) {
    counts[status] = rows.find((row) => row.status === status)?.count ?? 0;
  }
  return counts;
}

function toRow(learning: NewLearning): LearningsTable {
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

function toUpdate(change: LearningChange): Partial<LearningsTable> {
  const { category, content, scope, signature, helpful, harmful, status, supersededBy } = change;
  const row: { readonly [Column in keyof LearningsTable]?: LearningsTable[Column] | undefined } = {
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

function fromRow(row: LearningsTable): Learning {
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

import { DatabaseSync } from 'node:sqlite';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LearningQuery } from '../../../src/ports/learning-index.ts';
import type { Store } from '../../../src/ports/store.ts';
import { rankingCases, rankingLearnings } from '../../core/memory/rank/ranking-fixture.ts';
import { sqliteFixture } from './sqlite-fixture.ts';
import { shows } from '../../support/shows.ts';

const now = Date.UTC(2026, 0, 1);
const query = (title: string, more: Partial<LearningQuery> = {}): LearningQuery => ({
  title,
  description: '',
  signature: null,
  scope: null,
  limit: 5,
  now,
  ...more,
});

async function addAll(store: Store): Promise<void> {
  await store.write(async (tx) => {
    for (const [index, { id, category, content, tags, paths }] of rankingLearnings.entries()) {
      const createdAt = now - (rankingLearnings.length - index) * 3_600_000;
      await tx.learnings.add({ id, category, content, tags, paths, createdAt, origin: 'import' });
    }
  });
}

const find = (store: Store, asked: LearningQuery): Promise<readonly string[]> =>
  store.read(async (tx) => (await tx.learningIndex.search(asked)).map(({ id }) => id));

test('a task finds what was learned about its subject, and a foreign one finds nothing', async () => {
  shows('001.matching-by-tags');
  await using fixture = await sqliteFixture();
  await addAll(fixture.store);
  for (const { title, description, first } of rankingCases) {
    const ids = await find(fixture.store, query(title, { description }));
    expect({ title, first: ids[0] ?? null }).toEqual({ title, first });
  }
});

test('the same failure comes first, whatever the task says', async () => {
  shows('001.matching-by-tags');
  await using fixture = await sqliteFixture();
  await addAll(fixture.store);
  await fixture.store.write((tx) => tx.learnings.edit('l-cookie', { signature: 'abc' }));
  const [first] = await find(
    fixture.store,
    query('etag of a weak validator', { signature: 'abc' }),
  );
  expect(first).toBe('l-cookie');
  const [found] = await fixture.store.read((tx) =>
    tx.learningIndex.search(query('nothing at all', { signature: 'abc' })),
  );
  expect(found).toEqual({ id: 'l-cookie', score: 100, why: 'the same failure' });
});

test('of what says the same about the same failure one is given, and leaves room for others', async () => {
  await using fixture = await sqliteFixture();
  await addAll(fixture.store);
  await fixture.store.write(async (tx) => {
    for (let number = 1; number <= 8; number++) {
      await tx.learnings.add({
        id: `l-00000${number}`,
        category: 'pitfall',
        content: `Always regenerate the parser tables before running the slow integration suite on the build machine, number ${number}.`,
        tags: ['etag'],
        signature: number < 8 ? 'abc' : null,
        createdAt: now + number,
        origin: 'agent',
      });
    }
  });
  const asked = query('regenerate the parser tables, and the etag of a weak validator', {
    signature: 'abc',
    withUnlikely: true,
  });
  const ids = await find(fixture.store, asked);
  expect(ids[0]).toBe('l-000007');
  expect(ids.filter((id) => id.startsWith('l-00000'))).toEqual(['l-000007']);
  expect(ids).toContain('l-etag');
  expect(await find(fixture.store, { ...asked, limit: 1 })).toEqual(['l-000007']);
});

test('an edited learning is found by its new words, a demoted or deleted one not at all', async () => {
  shows('001.learnings-active-only');
  await using fixture = await sqliteFixture();
  const { store } = fixture;
  await addAll(store);
  const asked = query('zebra crossing', { withUnlikely: true });
  expect(await find(store, asked)).toEqual([]);
  await store.write((tx) => tx.learnings.edit('l-etag', { content: 'The zebra needs a crossing' }));
  expect(await find(store, asked)).toEqual(['l-etag']);
  await store.write((tx) => tx.learnings.edit('l-etag', { status: 'demoted' }));
  expect(await find(store, asked)).toEqual([]);
  await store.write((tx) => tx.learnings.edit('l-etag', { status: 'active' }));
  expect(await find(store, asked)).toEqual(['l-etag']);
  await store.write((tx) => tx.learnings.delete('l-etag'));
  expect(await find(store, asked)).toEqual([]);
});

test('what says the same is given once', async () => {
  shows('001.learnings-dedup');
  await using fixture = await sqliteFixture();
  const { store } = fixture;
  await addAll(store);
  const content = rankingLearnings.find(({ id }) => id === 'l-etag')!.content;
  await store.write((tx) =>
    tx.learnings.add({
      id: 'l-again',
      category: 'pitfall',
      content: `${content} again`,
      tags: [],
      createdAt: now,
      origin: 'import',
    }),
  );
  const ids = await find(store, query('etag weak comparison', { withUnlikely: true }));
  expect(ids.filter((id) => id === 'l-etag' || id === 'l-again')).toHaveLength(1);
});

test('whatever was added and removed, nothing of it is left behind', async () => {
  await using fixture = await sqliteFixture();
  const text = fc.string({ unit: 'grapheme', maxLength: 80 });
  const learning = fc.record({ content: text, tags: fc.array(text, { maxLength: 3 }) });
  const contents = fc.array(learning, { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(contents, async (learnings) => {
      await fixture.store.write(async (tx) => {
        for (const [index, { content, tags }] of learnings.entries()) {
          const paths = tags.slice(0, 1);
          const fields = { content, tags, paths, category: 'other', createdAt: now };
          await tx.learnings.add({ id: `l-${index}`, ...fields, origin: 'agent' });
        }
        await tx.learnings.edit('l-0', { content: 'other words', paths: ['src/other.ts'] });
        await tx.learningIndex.search(query(learnings[0]!.content, { withUnlikely: true }));
        for (const index of learnings.keys()) await tx.learnings.delete(`l-${index}`);
      });
    }),
    { numRuns: 20 },
  );
  using database = new DatabaseSync(fixture.file);
  const count = (table: string) =>
    database.prepare(`select count(*) as n from ${table}`).get()?.['n'];
  expect(['learning_terms', 'learning_documents', 'learning_postings'].map(count)).toEqual([
    0, 0, 0,
  ]);
  expect({
    ...database.prepare('select id, documents, length from learning_totals').get(),
  }).toEqual({
    id: 1,
    documents: 0,
    length: 0,
  });
});

test('the overlap that counts as a repetition is the query’s', async () => {
  await using fixture = await sqliteFixture();
  const { store } = fixture;
  await addAll(store);
  const content = 'a weak etag comparison fails when the proxy strips its header';
  const fields = { category: 'pitfall', content, tags: [], createdAt: now };
  await store.write((tx) => tx.learnings.add({ id: 'l-like', ...fields, origin: 'import' }));
  const found = async (maxOverlap: number) => {
    const ids = await find(
      store,
      query('weak etag comparison', { withUnlikely: true, maxOverlap }),
    );
    return ids.filter((id) => id === 'l-etag' || id === 'l-like').length;
  };
  expect([await found(0.8), await found(0.2)]).toEqual([2, 1]);
});

test('votes count half after the query’s half-life', async () => {
  shows('001.learnings-newer-first');
  await using fixture = await sqliteFixture();
  const { store } = fixture;
  const day = 86_400_000;
  await store.write(async (tx) => {
    for (const [id, helpful] of Object.entries({ 'l-praised': 9, 'l-plain': 0 })) {
      const content = `the zebra crossing needs paint ${id}`;
      const fields = { id, category: id, content, tags: [], createdAt: now - 90 * day };
      await tx.learnings.add({ ...fields, helpful, origin: 'import' });
    }
  });
  const advantage = async (halfLifeMs: number) => {
    const asked = query('zebra crossing', { withUnlikely: true, halfLifeMs });
    const results = await store.read((tx) => tx.learningIndex.search(asked));
    const score = (id: string) => results.find((each) => each.id === id)!.score;
    return score('l-praised') / score('l-plain');
  };
  expect(await advantage(900 * day)).toBeGreaterThan(1.3);
  expect(await advantage(day)).toBeCloseTo(1, 3);
});

test('added together or one by one, learnings are found alike, and those already there stay', async () => {
  await using together = await sqliteFixture();
  await using single = await sqliteFixture();
  const learnings = rankingLearnings.map((each, index) => ({
    ...each,
    createdAt: now - (rankingLearnings.length - index) * 3_600_000,
    origin: 'import' as const,
  }));
  await addAll(single.store);
  const add = () => together.store.write((tx) => tx.learnings.addMissing(learnings));
  const changed = learnings.map((each) => ({ ...each, content: 'something else' }));
  expect(await together.store.write((tx) => tx.learnings.addMissing([]))).toBe(0);
  expect(await add()).toBe(learnings.length);
  expect(await together.store.write((tx) => tx.learnings.addMissing(changed))).toBe(0);
  for (const { title, description } of rankingCases) {
    const asked = query(title, { description, withUnlikely: true });
    expect(await find(together.store, asked)).toEqual(await find(single.store, asked));
  }
});

test('of two new learnings with one id the first stays', async () => {
  await using fixture = await sqliteFixture();
  const twin = {
    id: 'l-1',
    category: 'other',
    tags: [],
    createdAt: now,
    origin: 'import' as const,
  };
  const twins = [
    { ...twin, content: 'zebra' },
    { ...twin, content: 'lion' },
  ];
  expect(await fixture.store.write((tx) => tx.learnings.addMissing(twins))).toBe(1);
  expect(await find(fixture.store, query('zebra', { withUnlikely: true }))).toEqual(['l-1']);
  expect(await find(fixture.store, query('lion', { withUnlikely: true }))).toEqual([]);
});

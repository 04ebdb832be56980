import path from 'node:path';
import { expect, test } from 'vitest';
import { SearchThread } from '../../../src/adapters/sqlite/search-thread.ts';
import { openStore } from '../../../src/adapters/sqlite/store.ts';
import type { LearningQuery } from '../../../src/ports/learning-index.ts';
import type { Store } from '../../../src/ports/store.ts';
import { rankingCases, rankingLearnings } from '../../core/memory/rank/ranking-fixture.ts';
import { tempDir } from '../../support/temp-dir.ts';

const now = Date.UTC(2026, 0, 1);
const about = (title: string, description = ''): LearningQuery => ({
  title,
  description,
  signature: null,
  scope: null,
  limit: 5,
  now,
});

async function addAll(store: Store): Promise<void> {
  const fresh = rankingLearnings.map((each, index) => ({
    ...each,
    createdAt: now - (rankingLearnings.length - index) * 3_600_000,
    origin: 'import' as const,
  }));
  await store.write((tx) => tx.learnings.addMissing(fresh));
}

test('a large store is searched on a thread, with the same answers', async () => {
  await using dir = await tempDir();
  const file = path.join(dir.path, 'state.db');
  await using beside = await openStore(file, { threadFrom: 1 });
  await using here = await openStore(file, { threadFrom: Number.POSITIVE_INFINITY });
  await addAll(here);
  for (const { title, description } of rankingCases) {
    const asked = about(title, description);
    const found = await beside.read((tx) => tx.learningIndex.search(asked));
    expect(found).toEqual(await here.read((tx) => tx.learningIndex.search(asked)));
  }
  await using thread = new SearchThread(file);
  const [first] = rankingCases;
  const asked = about(first?.title ?? '', first?.description);
  expect(await thread.search(asked)).toEqual(
    await here.read((tx) => tx.learningIndex.search(asked)),
  );
});

test('what was committed just before is found, and what a write has added itself', async () => {
  await using dir = await tempDir();
  await using store = await openStore(path.join(dir.path, 'state.db'), { threadFrom: 1 });
  await addAll(store);
  const learning = {
    id: 'l-zebra',
    category: 'pitfall',
    content: 'The zebra crossing wants a quagga.',
    tags: ['zebra'],
    createdAt: now,
    origin: 'person' as const,
  };
  const asked = { ...about('paint the zebra crossing for the quagga'), withUnlikely: true };
  const inWrite = await store.write(async (tx) => {
    await tx.learnings.add(learning);
    return tx.learningIndex.search(asked);
  });
  expect(inWrite[0]?.id).toBe('l-zebra');
  const [first] = await store.read((tx) => tx.learningIndex.search(asked));
  expect(first?.id).toBe('l-zebra');
});

test('a thread that cannot work leaves the search to its caller', async () => {
  await using dir = await tempDir();
  await using thread = new SearchThread(path.join(dir.path, 'no', 'such', 'state.db'));
  expect(await thread.search(about('anything'))).toBeNull();
});

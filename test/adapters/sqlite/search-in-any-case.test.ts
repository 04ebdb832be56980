import { readFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { openStore } from '../../../src/adapters/sqlite/store.ts';
import type { LearningQuery } from '../../../src/ports/learning-index.ts';
import type { Store } from '../../../src/ports/store.ts';
import { namedPaths } from '../../../src/core/memory/learning.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { sqliteFixture } from './sqlite-fixture.ts';

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

async function add(store: Store, contents: readonly string[]): Promise<void> {
  await store.write(async (tx) => {
    for (const [index, content] of contents.entries()) {
      const paths = namedPaths(content);
      const fields = { category: 'pitfall', content, tags: [], paths, createdAt: now + index };
      await tx.learnings.add({ id: `l-${index}`, ...fields, origin: 'agent' });
    }
  });
}

const find = (store: Store, asked: LearningQuery): Promise<readonly string[]> =>
  store.read(async (tx) => (await tx.learningIndex.search(asked)).map(({ id }) => id));

/** The ways a word is written, the same but for case and composition. */
const spellings: Readonly<Record<string, readonly string[]>> = {
  'a product': ['SQLite', 'sqlite', 'SQLITE', 'Sqlite', 'sqLite'],
  'a name of two words': ['OpenTelemetry', 'opentelemetry', 'OPENTELEMETRY', 'openTelemetry'],
  'an acronym at the end': ['PostgreSQL', 'postgresql', 'POSTGRESQL', 'PostgreSql'],
  'an identifier': ['bodyLimiter', 'bodylimiter', 'BODYLIMITER', 'BodyLimiter'],
  'an identifier with underscores': ['retry_budgets', 'RETRY_BUDGETS', 'Retry_Budgets'],
  'a plural': ['WebSockets', 'websockets', 'WEBSOCKETS', 'websocket'],
  'a path': ['src/Upload/Größen.ts', 'src/upload/größen.ts', 'SRC/UPLOAD/GRÖSSEN.TS'],
  'a file in capitals': ['README.MD', 'readme.md', 'Readme.md'],
  German: ['Straßenbahn', 'STRASSENBAHN', 'straßenbahn', 'STRAẞENBAHN'],
  Greek: ['Οδυσσέας', 'ΟΔΥΣΣΈΑΣ', 'οδυσσέας'],
  Cyrillic: ['Загрузка', 'ЗАГРУЗКА', 'загрузка'],
  Turkish: ['İstanbul', 'istanbul', 'ISTANBUL', 'ıstanbul'],
  'composed and decomposed': ['Café', 'Cafe\u0301', 'CAFÉ', 'café'],
  'full width': ['ＳＱＬｉｔｅ', 'sqlite', 'SQLite'],
  Hindi: ['हिन्दी', 'हिन्दी'.normalize('NFD')],
};

describe.each(Object.entries(spellings))('%s', (_, written) => {
  test.each(written)('written %s is found by every other spelling', async (kept) => {
    await using fixture = await sqliteFixture();
    await add(fixture.store, [`${kept} needs a second pass before the nightly deploy`, 'tea']);
    for (const asked of written) {
      expect([asked, await find(fixture.store, query(asked))]).toEqual([asked, ['l-0']]);
      const task = query(`make ${asked} faster`, { withUnlikely: true });
      expect([asked, await find(fixture.store, task)]).toEqual([asked, ['l-0']]);
    }
  });
});

test('case alone makes no second learning of the same words', async () => {
  await using fixture = await sqliteFixture();
  const text = 'SQLite and GitHub Actions need the bodyLimiter switched off for TypeScript';
  await add(fixture.store, [text, text.toLowerCase(), text.toUpperCase()]);
  const asked = query('sqlite bodylimiter', { withUnlikely: true });
  expect(await find(fixture.store, asked)).toHaveLength(1);
});

test('a tag that a person gave is named in any case', async () => {
  await using fixture = await sqliteFixture();
  const { store } = fixture;
  const contents = Array.from({ length: 300 }, (_, index) => `zebra${index} crossing paint`);
  await add(store, contents);
  await store.write((tx) =>
    tx.learnings.add({
      id: 'l-taught',
      category: 'pitfall',
      content: 'Ask before you change it',
      tags: ['PostgreSQL'],
      createdAt: now,
      origin: 'person',
    }),
  );
  const vague = 'and many unknown foreign wordings besides, quite besides the point of it';
  for (const written of ['PostgreSQL', 'postgresql', 'POSTGRESQL']) {
    expect([written, await find(store, query(`${written} ${vague}`))]).toEqual([
      written,
      ['l-taught'],
    ]);
  }
});

describe('a store that an older version indexed', () => {
  test('finds what it could not find, and keeps nothing of the old index', async () => {
    await using dir = await tempDir();
    const file = path.join(dir.path, 'state.db');
    await writeOldStore(file);
    await using store = await openStore(file);
    expect(await find(store, query('sqlite busy timeouts'))).toEqual(['l-old']);
    // Removing goes by the words of today; whatever the old rule left would stay for ever.
    await store.write((tx) => tx.learnings.delete('l-old'));
    await store.write((tx) => tx.learnings.delete('l-gone'));
    using database = new DatabaseSync(file);
    for (const table of ['learning_terms', 'learning_documents', 'learning_postings']) {
      expect([table, database.prepare(`select * from ${table}`).all()]).toEqual([table, []]);
    }
    expect(database.prepare('select documents, length from learning_totals').all()).toEqual([
      { documents: 0, length: 0 },
    ]);
  });

  test('is indexed once, by one of several', async () => {
    await using dir = await tempDir();
    const file = path.join(dir.path, 'state.db');
    await writeOldStore(file);
    const stores = await Promise.all([1, 2, 3].map(() => openStore(file)));
    for (const store of stores) {
      expect(await find(store, query('sqlite busy timeouts'))).toEqual(['l-old']);
    }
    for (const store of stores) await store[Symbol.asyncDispose]();
    using database = new DatabaseSync(file);
    expect(database.prepare('select count(*) as n from learning_documents').get()?.['n']).toBe(1);
  });
});

/** As the version before the rule wrote it: the parts of a name in stems, the whole as it is. */
async function writeOldStore(file: string): Promise<void> {
  const fresh = await openStore(file);
  await fresh[Symbol.asyncDispose]();
  using database = new DatabaseSync(file);
  database.exec(
    await readFile(new URL('old-learning-index.sql', import.meta.url), { encoding: 'utf8' }),
  );
}

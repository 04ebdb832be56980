import { cp, copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { openStore } from '../../../src/adapters/sqlite/store.ts';
import type { Store } from '../../../src/ports/store.ts';
import { addLoop } from '../../contract/store-fixture.ts';
import { tempDir } from '../../support/temp-dir.ts';

const untold = (store: Store) => store.read((tx) => tx.gaps.untold());
const addTask = (store: Store, id: string) =>
  store.write((tx) => tx.tasks.add(id, { title: id }, 1));

describe('a store that is older than what was stored in it', () => {
  test('is known by its mark: put back from a copy, and said until somebody was told', async () => {
    await using dir = await tempDir();
    const file = path.join(dir.path, 'state.db');
    {
      await using store = await openStore(file);
      await addLoop(store, 'loop-old');
    }
    const copy = path.join(dir.path, 'copy.db');
    await copyFile(file, copy);
    let position = 0;
    {
      await using store = await openStore(file);
      await addLoop(store, 'loop-new');
      await addTask(store, 't-new');
      position = await store.read((tx) => tx.loops.position());
      expect(await untold(store)).toBe(0);
    }
    await copyFile(copy, file);
    {
      await using store = await openStore(file);
      expect(await untold(store)).toBeGreaterThanOrEqual(2);
      // What is stored meanwhile does not make up for it.
      for (let each = 0; each < 9; each++) await addTask(store, `t-more-${each}`);
    }
    await using store = await openStore(file);
    expect(await untold(store)).toBeGreaterThanOrEqual(2);
    expect(await store.read((tx) => tx.gaps.isBehind('loop-old'))).toBe(true);
    await addLoop(store, 'loop-newest');
    expect(await store.read((tx) => tx.gaps.isBehind('loop-newest'))).toBe(false);
    // No position of the feed is given twice.
    const feed = await store.read((tx) => tx.loops.feed(0, 100));
    expect(feed.at(-1)?.position).toBeGreaterThan(position);
    await store.write((tx) => tx.gaps.tell());
    expect(await untold(store)).toBe(0);
  });

  test('is known when its log is gone; with its log it has lost nothing', async () => {
    await using dir = await tempDir();
    await using store = await openStore(path.join(dir.path, 'live', 'state.db'));
    await addTask(store, 't-1');
    // As a killed process leaves them: nothing is folded back.
    for (const name of ['whole', 'cut']) await mkdir(path.join(dir.path, name));
    for (const end of ['', '-wal', '.mark']) {
      const from = path.join(dir.path, 'live', `state.db${end}`);
      await copyFile(from, path.join(dir.path, 'whole', `state.db${end}`));
      if (end !== '-wal') await copyFile(from, path.join(dir.path, 'cut', `state.db${end}`));
    }
    await using whole = await openStore(path.join(dir.path, 'whole', 'state.db'));
    expect(await untold(whole)).toBe(0);
    await using cut = await openStore(path.join(dir.path, 'cut', 'state.db'));
    expect(await untold(cut)).toBeGreaterThan(0);
  });

  test('a project that is copied as a whole, opened, or backed up, is not one', async () => {
    await using dir = await tempDir();
    const file = path.join(dir.path, 'one', 'state.db');
    {
      await using store = await openStore(file);
      await addTask(store, 't-1');
      await store.backUp(Number.MAX_SAFE_INTEGER);
    }
    await cp(path.join(dir.path, 'one'), path.join(dir.path, 'two'), { recursive: true });
    for (const name of ['one', 'two', 'two']) {
      await using store = await openStore(path.join(dir.path, name, 'state.db'));
      expect(await untold(store)).toBe(0);
      await addTask(store, `t-${name}-${Math.random()}`);
    }
  });

  test('a new store in the place of a deleted one has lost nothing', async () => {
    await using dir = await tempDir();
    const file = path.join(dir.path, 'state.db');
    {
      await using store = await openStore(file);
      await addTask(store, 't-1');
    }
    await rm(file);
    await using store = await openStore(file);
    expect(await untold(store)).toBe(0);
  });

  test('a mark that says nothing is no mark; something in its place is refused', async () => {
    await using dir = await tempDir();
    const file = path.join(dir.path, 'state.db');
    await writeFile(`${file}.mark`, 'x'.repeat(50));
    {
      await using store = await openStore(file);
      await addTask(store, 't-1');
      expect(await untold(store)).toBe(0);
    }
    await rm(`${file}.mark`);
    await mkdir(`${file}.mark`);
    await using store = await openStore(file);
    await expect(addTask(store, 't-2')).rejects.toMatchObject({ code: 'store.cannot_open' });
  });
});

describe('a log beside a store that it does not belong to', () => {
  test.each([
    ['a backup over the file', 'backup', 'over'],
    ['a backup in its place', 'backup', 'moved'],
    ['a plain copy in its place', 'copy', 'moved'],
  ])('is refused before either is opened: %s', async (_, kind, how) => {
    await using dir = await tempDir();
    await using live = await openStore(path.join(dir.path, 'live', 'state.db'));
    const from = path.join(dir.path, 'live', 'state.db');
    const other = path.join(dir.path, 'other.db');
    if (kind === 'copy') await copyFile(from, other);
    await addTask(live, 't-1');
    if (kind === 'backup') {
      using database = new DatabaseSync(from);
      database.prepare('vacuum into ?').run(other);
    }
    await addTask(live, 't-2');
    // Hard links and moves keep inodes: the files as a killed process leaves them.
    const file = path.join(dir.path, 'state.db');
    for (const end of ['', '-wal', '.mark']) await rename(`${from}${end}`, `${file}${end}`);
    if (how === 'moved') await rename(file, `${file}.damaged`);
    await copyFile(other, file);
    const before = await readFile(`${file}-wal`);
    await expect(openStore(file)).rejects.toMatchObject({
      code: 'store.corrupt',
      message: expect.stringContaining('is the log of another file'),
    });
    expect(await readFile(`${file}-wal`)).toEqual(before);
    // The file that was written over is still open here.
    if (how === 'over') return;
    await rm(`${file}-wal`);
    await using store = await openStore(file);
    expect(await untold(store)).toBeGreaterThan(0);
  });
});

describe('a log that is deleted while the store is open', () => {
  test.each(['-wal', '-shm'])(
    'is noticed at the next step, and nothing is lost: %s',
    async (end) => {
      await using dir = await tempDir();
      const file = path.join(dir.path, 'state.db');
      {
        await using store = await openStore(file);
        await addTask(store, 't-1');
        await rm(`${file}${end}`);
        expect(() => store.assertInPlace()).toThrow(/was deleted or replaced while it was in use/);
        await expect(addTask(store, 't-2')).rejects.toMatchObject({ code: 'store.gone' });
        // As another process finds it now.
        for (const each of ['', '-wal', '.mark']) {
          await copyFile(`${file}${each}`, path.join(dir.path, `found.db${each}`)).catch(
            () => null,
          );
        }
      }
      await using found = await openStore(path.join(dir.path, 'found.db'));
      expect(await untold(found)).toBe(0);
      expect((await found.read((tx) => tx.tasks.get('t-1')))?.title).toBe('t-1');
    },
  );

  test('is not told as stored', async () => {
    await using dir = await tempDir();
    const file = path.join(dir.path, 'state.db');
    await using store = await openStore(file);
    await addTask(store, 't-1');
    const written = store.write(async (tx) => {
      await tx.tasks.add('t-2', { title: 't-2' }, 1);
      await rm(`${file}-wal`);
    });
    await expect(written).rejects.toMatchObject({
      code: 'store.gone',
      hint: expect.stringContaining('Nothing is lost'),
    });
  });
});

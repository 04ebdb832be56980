import { copyFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { openStore } from '../../../src/adapters/sqlite/store.ts';
import { addLoop, append } from '../../contract/store-fixture.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { sqliteFixture } from './sqlite-fixture.ts';

const shipped = fileURLToPath(new URL('../../../src/adapters/sqlite/migrations', import.meta.url));

describe('the order over the events of all loops', () => {
  test('is given to events of a store of the version before it', async () => {
    await using folder = await tempDir();
    const names = (await readdir(shipped)).filter((name) => name.endsWith('.sql'));
    const before = names.toSorted().filter((name) => !name.includes('coordination'));
    const older = before.filter(
      (name) => name < names.find((each) => each.includes('coordination'))!,
    );
    for (const name of older) {
      await copyFile(path.join(shipped, name), path.join(folder.path, name));
    }
    const file = path.join(folder.path, 'state.db');
    const old = await openStore(file, { migrations: folder.path });
    await old.write((tx) => tx.tasks.add('t-1', { title: 'old' }, 1));
    await old[Symbol.asyncDispose]();
    {
      using database = new DatabaseSync(file);
      database.exec(`insert into loops (id, task_id, title, status, seq, sequence, created_at, updated_at, state)
        values ('loop-0', 't-1', 'old', 'paused', 2, 1, 1, 1, '{}')`);
      for (const seq of [1, 2]) {
        const data = JSON.stringify({ type: 'warning.raised', text: `old ${seq}` });
        database
          .prepare('insert into events values (?, ?, ?, 1, 5, 0, ?, ?)')
          .run('loop-0', seq, 'warning.raised', data, 'hash');
      }
    }
    await using store = await openStore(file);
    await addLoop(store, 'loop-1');
    const feed = await store.read((tx) => tx.loops.feed(0, 10));
    expect(feed.map(({ position, loopId, recorded }) => [position, loopId, recorded.seq])).toEqual([
      [1, 'loop-0', 1],
      [2, 'loop-0', 2],
      [3, 'loop-1', 1],
    ]);
  });

  test('goes over all loops and gives no position twice, also after a deletion', async () => {
    await using fixture = await sqliteFixture();
    const { store } = fixture;
    const first = await addLoop(store, 'loop-1');
    await addLoop(store, 'loop-2');
    await append(store, first, [{ type: 'warning.raised', text: 'one' }]);
    const feed = await store.read((tx) => tx.loops.feed(1, 10));
    expect(feed.map(({ position, loopId }) => [position, loopId])).toEqual([
      [2, 'loop-2'],
      [3, 'loop-1'],
    ]);
    await store.write((tx) => tx.loops.delete('loop-1'));
    expect(await store.read((tx) => tx.loops.position())).toBe(3);
    await addLoop(store, 'loop-3');
    expect((await store.read((tx) => tx.loops.feed(3, 10)))[0]).toMatchObject({
      position: 4,
      loopId: 'loop-3',
    });
  });
});

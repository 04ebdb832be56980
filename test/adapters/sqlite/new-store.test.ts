import { existsSync } from 'node:fs';
import { cp, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { shippedMigrations } from '../../../src/adapters/sqlite/migrations.ts';
import { newStoreName, placeNewStore } from '../../../src/adapters/sqlite/new-store.ts';
import { openStore } from '../../../src/adapters/sqlite/store.ts';
import { tempDir } from '../../support/temp-dir.ts';

/** A folder of migrations as a build has it: with an empty store that they made. */
async function builtMigrations() {
  const dir = await tempDir();
  await cp(shippedMigrations(), dir.path, { recursive: true });
  await (await openStore(path.join(dir.path, newStoreName)))[Symbol.asyncDispose]();
  return dir;
}

function everything(file: string): unknown {
  using database = new DatabaseSync(file);
  const schema = database.prepare('select type, name, tbl_name, sql from sqlite_schema order by 2');
  const versions = database.prepare('select version, name from schema_migrations order by 1');
  const counters = database.prepare('select * from counters');
  return [
    schema.all(),
    versions.all(),
    counters.all(),
    database.prepare('pragma journal_mode').get(),
  ];
}

describe('the empty store of a build', () => {
  test('becomes the store of a first run, and is what the migrations make', async () => {
    await using built = await builtMigrations();
    await using dir = await tempDir();
    const placed = path.join(dir.path, 'placed.db');
    placeNewStore(placed, built.path);
    expect(existsSync(placed)).toBe(true);
    const migrated = path.join(dir.path, 'migrated.db');
    for (const [file, migrations] of [
      [placed, built.path],
      [migrated, shippedMigrations()],
    ] as const) {
      await using store = await openStore(file, { migrations });
      await store.write((tx) => tx.tasks.add('t-1', { title: 'a task' }, 1));
    }
    expect(everything(placed)).toEqual(everything(migrated));
    expect((await readdir(dir.path)).toSorted()).toEqual([
      'migrated.db',
      'migrated.db.mark',
      'placed.db',
      'placed.db.mark',
    ]);
  });

  test.each(['state.db', 'state.db-wal', 'state.db-journal'])(
    'is not put over or beside a %s',
    async (name) => {
      await using built = await builtMigrations();
      await using dir = await tempDir();
      await writeFile(path.join(dir.path, name), 'somebody’s');
      placeNewStore(path.join(dir.path, 'state.db'), built.path);
      expect(await readdir(dir.path)).toEqual([name]);
    },
  );

  test('is left to the migrations when it cannot be put in place', async () => {
    await using built = await builtMigrations();
    await using dir = await tempDir();
    const file = path.join(dir.path, 'state.db');
    await writeFile(`${file}.new-${process.pid}`, 'left by a process that was killed');
    await using store = await openStore(file, { migrations: built.path });
    expect(await store.read((tx) => tx.loops.list({}))).toEqual([]);
    expect(existsSync(`${file}.new-${process.pid}`)).toBe(false);
  });

  test('is brought up to date when migrations were added to it', async () => {
    await using built = await builtMigrations();
    await using dir = await tempDir();
    await writeFile(path.join(built.path, '999.txt'), 'not a migration');
    const next = (await readdir(built.path)).filter((name) => name.endsWith('.sql')).length + 1;
    const name = `${String(next).padStart(3, '0')}-more.sql`;
    await writeFile(path.join(built.path, name), 'create table more (id integer);');
    const file = path.join(dir.path, 'state.db');
    await (await openStore(file, { migrations: built.path }))[Symbol.asyncDispose]();
    using database = new DatabaseSync(file);
    expect(database.prepare('select count(*) as count from more').get()).toEqual({ count: 0 });
    await rm(built.path, { recursive: true });
  });
});

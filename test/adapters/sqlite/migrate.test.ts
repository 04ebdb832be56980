import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { loadMigrations } from '../../../src/adapters/sqlite/migrations.ts';
import { openStore } from '../../../src/adapters/sqlite/store.ts';
import { addLoop } from '../../contract/store-fixture.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { startProgram } from './program.ts';
import { sqliteFixture } from './sqlite-fixture.ts';
import { shows } from '../../support/shows.ts';

const shipped = fileURLToPath(new URL('../../../src/adapters/sqlite/migrations', import.meta.url));
const known = loadMigrations().map(({ name }) => name);
const madeUp = `${String(known.length + 1).padStart(3, '0')}-made-up`;

describe('migrating', () => {
  test('records each migration once', async () => {
    shows('001.migration-version');
    await using fixture = await sqliteFixture();
    await fixture.open();
    expect(versions(fixture.file)).toEqual(known);
  });

  test('keeps the data, and a backup of the old version that still opens', async () => {
    await using fixture = await sqliteFixture();
    const loop = await addLoop(fixture.store, 'loop-1');
    await fixture.store[Symbol.asyncDispose]();
    await using folder = await migrationsWith('alter table loops add column note text;');
    await using store = await openStore(fixture.file, { migrations: folder.path });
    expect(await store.read((tx) => tx.loops.get('loop-1'))).toEqual(loop);
    expect(versions(fixture.file)).toEqual([...known, madeUp]);
    expect(await backups(fixture.file)).toEqual([`state.db.backup-${known.length}`]);

    await using backup = await openStore(`${fixture.file}.backup-${known.length}`);
    expect(await backup.read((tx) => tx.loops.get('loop-1'))).toEqual(loop);
  });

  test('makes no backup of a new database', async () => {
    await using dir = await tempDir();
    await using folder = await migrationsWith('create table extra (id integer);');
    const file = path.join(dir.path, 'state.db');
    await using store = await openStore(file, { migrations: folder.path });
    expect(await store.read((tx) => tx.loops.list({}))).toEqual([]);
    expect(versions(file)).toEqual([...known, madeUp]);
    expect(await backups(file)).toEqual([]);
  });

  test('rebuilds a table without losing what refers to it', async () => {
    await using fixture = await sqliteFixture();
    const loop = await addLoop(fixture.store, 'loop-1');
    await fixture.store[Symbol.asyncDispose]();
    const rebuild = `
      create table copy as select * from tasks;
      drop table tasks;
      alter table copy rename to tasks;
      create unique index tasks_id on tasks (id);
    `;
    await using folder = await migrationsWith(rebuild);
    await using store = await openStore(fixture.file, { migrations: folder.path });
    expect(await store.read((tx) => tx.loops.get('loop-1'))).toEqual(loop);
  });

  test.each([
    [
      'fails half way',
      'create table extra (id integer); insert into nowhere values (1);',
      'store.failed',
    ],
    ['orphans rows', 'delete from tasks;', 'store.migrations'],
  ])('that %s leaves the old version', async (_, sql, code) => {
    await using fixture = await sqliteFixture();
    const loop = await addLoop(fixture.store, 'loop-1');
    await using folder = await migrationsWith(sql);
    await expect(openStore(fixture.file, { migrations: folder.path })).rejects.toMatchObject({
      code,
    });
    expect(versions(fixture.file)).toEqual(known);
    await using store = await openStore(fixture.file);
    expect(await store.read((tx) => tx.loops.get('loop-1'))).toEqual(loop);
  });

  test('that is killed leaves the old version, and can be done again', async () => {
    await using fixture = await sqliteFixture();
    const loop = await addLoop(fixture.store, 'loop-1');
    await fixture.store[Symbol.asyncDispose]();
    const endless =
      'with recursive n (x) as (select 1 union all select x + 1 from n) select x from n';
    await using slow = await migrationsWith(
      `create table extra (id integer); insert into extra select max(x) from (${endless});`,
    );
    await using program = startProgram('open', [fixture.file, slow.path]);
    // The backup is the last thing before the script.
    while (!(await backups(fixture.file)).includes(`state.db.backup-${known.length}`)) {
      expect(program.process.exitCode).toBeNull();
      await turn();
    }
    program.process.kill('SIGKILL');
    expect(await program.rest()).toEqual([]);

    const old = await openStore(fixture.file);
    expect(await old.read((tx) => tx.loops.get('loop-1'))).toEqual(loop);
    await old[Symbol.asyncDispose]();
    await using quick = await migrationsWith('create table extra (id integer);');
    await using upgraded = await openStore(fixture.file, { migrations: quick.path });
    expect(await upgraded.read((tx) => tx.loops.get('loop-1'))).toEqual(loop);
    expect(versions(fixture.file)).toEqual([...known, madeUp]);
    expect(await backups(fixture.file)).toEqual([`state.db.backup-${known.length}`]);
  });

  test('is done by one of several processes', async () => {
    await using fixture = await sqliteFixture();
    await fixture.store[Symbol.asyncDispose]();
    await using folder = await migrationsWith('create table extra (id integer);');
    const programs = [1, 2, 3].map(() => startProgram('open', [fixture.file, folder.path]));
    const outputs = await Promise.all(programs.map((program) => program.rest()));
    expect(outputs.flat()).toEqual(['opened', 'opened', 'opened']);
    expect(versions(fixture.file)).toEqual([...known, madeUp]);
  });

  test('refuses a folder with a gap in its numbers', async () => {
    await using dir = await tempDir();
    await writeFile(path.join(dir.path, '002-second.sql'), '');
    expect(() => loadMigrations(dir.path)).toThrow('002-second.sql');
  });
});

/** The shipped migrations and one more. */
async function migrationsWith(sql: string) {
  const dir = await tempDir();
  await mkdir(dir.path, { recursive: true });
  for (const name of await readdir(shipped)) {
    await copyFile(path.join(shipped, name), path.join(dir.path, name));
  }
  await writeFile(path.join(dir.path, `${madeUp}.sql`), sql);
  return dir;
}

function versions(file: string): readonly unknown[] {
  using database = new DatabaseSync(file);
  const rows = database.prepare('select name from schema_migrations order by version').all();
  return rows.map((row) => row['name']);
}

async function backups(file: string): Promise<readonly string[]> {
  const names = await readdir(path.dirname(file));
  return names.filter((name) => name.includes('.backup-'));
}

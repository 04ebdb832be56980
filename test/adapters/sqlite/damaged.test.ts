import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { chmod, copyFile, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { loadMigrations } from '../../../src/adapters/sqlite/migrations.ts';
import { openStore } from '../../../src/adapters/sqlite/store.ts';
import { addLoop } from '../../contract/store-fixture.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { startProgram } from './program.ts';
import { sqliteFixture } from './sqlite-fixture.ts';

const isSuperuser = process.getuid?.() === 0;
const nobody = { uid: 65_534, gid: 65_534 };

describe('a database of a newer version', () => {
  test('is refused and left as it is, bit for bit', async () => {
    await using fixture = await sqliteFixture();
    await fixture.store[Symbol.asyncDispose]();
    pretendNewer(fixture.file);
    const before = await fingerprint(path.dirname(fixture.file));
    await expect(openStore(fixture.file)).rejects.toMatchObject({
      code: 'store.newer',
      message: `${fixture.file} was made by a newer Loopwright (schema 99, this one knows ${loadMigrations().length})`,
    });
    expect(await fingerprint(path.dirname(fixture.file))).toEqual(before);
  });

  test('is refused with its log still beside it, as a killed process leaves it', async () => {
    await using fixture = await sqliteFixture();
    await using crashed = await tempDir();
    await addLoop(fixture.store, 'loop-1');
    pretendNewer(fixture.file);
    const copy = path.join(crashed.path, 'state.db');
    for (const end of ['', '-wal']) await copyFile(`${fixture.file}${end}`, `${copy}${end}`);
    const before = await fingerprint(crashed.path);
    await expect(openStore(copy)).rejects.toMatchObject({ code: 'store.newer' });
    const after = await fingerprint(crashed.path);
    expect(after).toMatchObject(before);
  });
});

describe('a file that is no database of ours', () => {
  test('is refused as damaged, unchanged, with the way out', async () => {
    await using dir = await tempDir();
    const file = path.join(dir.path, 'state.db');
    await writeFile(file, 'not a database '.repeat(500));
    const before = await fingerprint(dir.path);
    await expect(openStore(file)).rejects.toMatchObject({
      code: 'store.corrupt',
      message: `${file} is damaged or not a Loopwright database`,
      hint: 'Nothing was changed. No backup (state.db.backup-1 and the like) lies beside it; move the file away to start anew.',
    });
    expect(await fingerprint(dir.path)).toEqual(before);
  });

  test('is told where the backups are', async () => {
    await using dir = await tempDir();
    const file = path.join(dir.path, 'state.db');
    await writeFile(file, 'not a database '.repeat(500));
    await writeFile(`${file}.backup-3`, '');
    await expect(openStore(file)).rejects.toMatchObject({
      hint: `Nothing was changed. Move it away, with state.db-wal and state.db-shm if they are there, and copy a backup into its place: ${file}.backup-3. The next run names what the backup lacks before it starts anything; run again to go on with it.`,
    });
  });

  test('is refused when it belongs to another program', async () => {
    await using dir = await tempDir();
    const file = path.join(dir.path, 'state.db');
    using database = new DatabaseSync(file);
    database.exec('create table bookmarks (url text)');
    await expect(openStore(file)).rejects.toMatchObject({ code: 'store.corrupt' });
    const tables = database.prepare('select name from sqlite_schema').all();
    expect(tables.map((row) => row['name'])).toEqual(['bookmarks']);
  });

  test('is seen when it was damaged in the middle', async () => {
    await using fixture = await sqliteFixture();
    await addLoop(fixture.store, 'loop-1');
    await fixture.store[Symbol.asyncDispose]();
    await overwriteAfterFirstPage(fixture.file);
    const used = async () => {
      await using store = await openStore(fixture.file);
      return store.read((tx) => tx.loops.list({}));
    };
    await expect(used()).rejects.toMatchObject({ code: 'store.corrupt' });
  });
});

describe('a file that cannot be used', () => {
  test('is locked while another program has it for itself alone', async () => {
    await using fixture = await sqliteFixture();
    await fixture.store[Symbol.asyncDispose]();
    using other = new DatabaseSync(fixture.file);
    other.exec('pragma locking_mode = exclusive; begin exclusive');
    const opened = openStore(fixture.file, { busyTimeoutMs: 50 });
    await expect(opened).rejects.toMatchObject({ code: 'store.locked' });
  });

  test('is not there: a folder in its place', async () => {
    await using dir = await tempDir();
    await expect(openStore(dir.path)).rejects.toMatchObject({ code: 'store.cannot_open' });
  });

  test('is not there: no folder can be made for it', async () => {
    await using dir = await tempDir();
    await writeFile(path.join(dir.path, 'plain'), '');
    const file = path.join(dir.path, 'plain/state.db');
    await expect(openStore(file)).rejects.toMatchObject({ code: 'store.cannot_open' });
  });

  test('is closed', async () => {
    await using fixture = await sqliteFixture();
    await fixture.store[Symbol.asyncDispose]();
    await expect(addLoop(fixture.store, 'loop-1')).rejects.toMatchObject({ code: 'store.closed' });
  });

  test('is only read in a read transaction', async () => {
    await using fixture = await sqliteFixture();
    const changed = fixture.store.read((tx) => tx.loops.delete('loop-1'));
    await expect(changed).rejects.toMatchObject({ code: 'store.read_transaction' });
  });

  test('is gone: deleted while it was open', async () => {
    await using fixture = await sqliteFixture();
    await rm(fixture.file);
    await expect(addLoop(fixture.store, 'loop-1')).rejects.toMatchObject({ code: 'store.gone' });
  });

  test.skipIf(!permissionsBind()).each([
    ['the file and its folder', 0o444, 0o555],
    ['the folder', 0o666, 0o555],
    ['the file', 0o444, 0o777],
  ])('is read-only: %s', async (_, fileMode, folderMode) => {
    await using fixture = await sqliteFixture();
    await fixture.store[Symbol.asyncDispose]();
    const folder = path.dirname(fixture.file);
    await chmod(fixture.file, fileMode);
    await chmod(folder, folderMode);
    await using program = startProgram('open', [fixture.file], isSuperuser ? nobody : {});
    expect(await program.rest()).toEqual([`store.read_only: ${fixture.file} cannot be written`]);
    await chmod(folder, 0o755);
  });
});

/** Permissions do not bind the superuser, who therefore becomes nobody, if nobody may read this repository. */
function permissionsBind(): boolean {
  if (process.platform === 'win32') return false;
  return !isSuperuser || [process.execPath, import.meta.dirname].every(isOpenToAll);
}

function isOpenToAll(target: string): boolean {
  const parent = path.dirname(target);
  return (statSync(target).mode & 0o5) === 0o5 && (parent === target || isOpenToAll(parent));
}

function pretendNewer(file: string): void {
  using database = new DatabaseSync(file);
  database.exec("insert into schema_migrations values (99, '099-future', 0)");
}

async function fingerprint(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).toSorted();
  const hashes = names.map(async (name) => {
    const content = await readFile(path.join(folder, name));
    return [name, createHash('sha256').update(content).digest('hex')] as const;
  });
  return Object.fromEntries(await Promise.all(hashes));
}

async function overwriteAfterFirstPage(file: string): Promise<void> {
  await using handle = await open(file, 'r+');
  const { size } = await handle.stat();
  await handle.write(Buffer.alloc(size - 4096, 0xab), 0, size - 4096, 4096);
}

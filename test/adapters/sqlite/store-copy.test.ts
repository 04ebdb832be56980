import { copyFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { copyStore } from '../../../src/adapters/sqlite/store-copy.ts';
import { openStore } from '../../../src/adapters/sqlite/store.ts';
import { addLoop } from '../../contract/store-fixture.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { sqliteFixture } from './sqlite-fixture.ts';

async function idsIn(file: string): Promise<readonly string[]> {
  await using store = await openStore(file);
  return store.read(async (tx) => (await tx.loops.list({})).map(({ id }) => id));
}

describe('a copy of a store', () => {
  test('holds what was stored, also while somebody has it open', async () => {
    await using fixture = await sqliteFixture();
    await using dir = await tempDir();
    await addLoop(fixture.store, 'loop-1');
    expect(await idsIn(copyStore(fixture.file, dir.path))).toEqual(['loop-1']);
  });

  test('holds what only the log of a killed process has', async () => {
    await using fixture = await sqliteFixture();
    await using dir = await tempDir();
    await addLoop(fixture.store, 'loop-1');
    const [killed, folder] = ['killed', 'copy'].map((name) => path.join(dir.path, name));
    for (const made of [killed, folder]) await mkdir(made ?? '');
    const left = path.join(killed ?? '', 'state.db');
    for (const end of ['', '-wal']) await copyFile(`${fixture.file}${end}`, `${left}${end}`);
    expect(await idsIn(copyStore(left, folder ?? ''))).toEqual(['loop-1']);
  });

  test('of what is no database is refused by whoever opens it', async () => {
    await using dir = await tempDir();
    await expect(idsIn(copyStore(import.meta.filename, dir.path))).rejects.toMatchObject({
      code: 'store.corrupt',
    });
  });
});

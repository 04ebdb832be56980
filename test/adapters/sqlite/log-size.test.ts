import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { sqliteFixture } from './sqlite-fixture.ts';

const megabyte = 1024 * 1024;

test('a log that a long reader let grow is cut back once the reader is gone', async () => {
  await using fixture = await sqliteFixture();
  const { store, file } = fixture;
  const size = () => statSync(`${file}-wal`).size;
  const add = (index: number) =>
    store.write((tx) =>
      tx.tasks.add(`t-${index}`, { title: 'big', description: 'x'.repeat(megabyte / 2) }, index),
    );
  await add(0);
  using reader = new DatabaseSync(file);
  reader.exec('begin; select count(*) from tasks');
  for (let index = 1; index <= 24; index++) await add(index);
  expect(size()).toBeGreaterThan(10 * megabyte);
  reader.exec('rollback');
  for (let index = 25; index <= 40; index++) await add(index);
  expect(size()).toBeLessThan(7 * megabyte);
});

import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { Connection } from '../../../src/adapters/sqlite/connection.ts';
import { sql } from '../../../src/adapters/sqlite/sql.ts';
import { Transactions } from '../../../src/adapters/sqlite/transactions.ts';
import { tempDir } from '../../support/temp-dir.ts';

describe('every connection', () => {
  test.each(['write', 'write', 'read', 'read'] as const)(
    'is safe: WAL, full sync, foreign keys, five seconds of patience (%s)',
    async (mode) => {
      await using dir = await tempDir();
      const file = path.join(dir.path, 'state.db');
      using first = new Connection(file, { mode: 'write' });
      using later = new Connection(file, { mode });
      for (const connection of [first, later]) {
        expect(connection.pragma('journal_mode')).toBe('wal');
        expect(connection.pragma('synchronous')).toBe(2);
        expect(connection.pragma('foreign_keys')).toBe(1);
        expect(connection.pragma('busy_timeout')).toBe(5000);
      }
      expect(later.pragma('query_only')).toBe(mode === 'read' ? 1 : 0);
    },
  );

  test('keeps its patience after it took the write lock', async () => {
    await using dir = await tempDir();
    using connection = new Connection(path.join(dir.path, 'state.db'), { mode: 'write' });
    await connection.beginImmediate();
    expect(connection.inTransaction).toBe(true);
    expect(connection.pragma('busy_timeout')).toBe(5000);
    connection.run('rollback');
  });

  test('refuses values SQLite cannot hold', async () => {
    await using dir = await tempDir();
    using connection = new Connection(path.join(dir.path, 'state.db'), { mode: 'write' });
    expect(() => connection.run('select ?', [true])).toThrow('boolean cannot be stored');
    expect(() => connection.run('select ?', [undefined])).toThrow('undefined cannot be stored');
  });
});

describe('a full disk', () => {
  test('is said, rolls the transaction back and can be recovered from', async () => {
    await using dir = await tempDir();
    const connection = new Connection(path.join(dir.path, 'state.db'), { mode: 'write' });
    connection.execute('create table task_dependencies (task_id text, depends_on text)');
    connection.execute('pragma max_page_count = 8');
    await using writes = new Transactions(connection, 'write');
    const insert = (taskId: string, text: string) =>
      writes.run(async (db) => {
        await db.run(sql`insert into task_dependencies values (${taskId}, 'small')`);
        await db.run(sql`insert into task_dependencies values (${taskId}, ${text})`);
      });

    await expect(insert('a', 'x'.repeat(100_000))).rejects.toMatchObject({
      code: 'store.disk_full',
      hint: 'The last change was not made. Free some space, then try again.',
    });
    expect(connection.run('select * from task_dependencies').rows).toEqual([]);
    await insert('b', 'fits');
    expect(connection.run('select * from task_dependencies').rows).toEqual([
      { task_id: 'b', depends_on: 'small' },
      { task_id: 'b', depends_on: 'fits' },
    ]);
  });
});

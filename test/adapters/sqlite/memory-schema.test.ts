import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { openStore } from '../../../src/adapters/sqlite/store.ts';
import { addLoop } from '../../contract/store-fixture.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { shows } from '../../support/shows.ts';

const first = fileURLToPath(
  new URL('../../../src/adapters/sqlite/migrations/001-foundation.sql', import.meta.url),
);

const now = '2026-01-02T03:04:05.000Z';

describe('the tables of memory', () => {
  test('come into a store of the version before them, with a backup and all that was there', async () => {
    shows('001.migrates-by-itself', '001.migration-adds-tables', '001.migration-no-action');
    await using old = await tempDir();
    await copyFile(first, path.join(old.path, '001-foundation.sql'));
    await using dir = await tempDir();
    const file = path.join(dir.path, 'state.db');
    const before = await openStore(file, { migrations: old.path });
    const task = await before.write((tx) => tx.tasks.add('t-00000001', { title: 'kept' }, 1));
    await before[Symbol.asyncDispose]();

    await using store = await openStore(file);
    expect(await store.read((tx) => tx.tasks.get(task.id))).toEqual(task);
    using database = new DatabaseSync(file);
    expect(tables(database)).toEqual(
      expect.arrayContaining([
        'failure_reports',
        'injected_items',
        'iteration_outcomes',
        'learnings',
        'strategy_metrics',
      ]),
    );
    using backup = new DatabaseSync(`${file}.backup-1`, { readOnly: true });
    expect(tables(backup)).not.toContain('learnings');
  });

  test('lose with a task its attempts, reports and metrics, and keep what was learned from it', async () => {
    shows(
      '001.outcomes-cascade',
      '001.reports-cascade-task',
      '001.metrics-cascade',
      '001.learnings-outlive-task',
      '001.learnings-superseded-null',
    );
    await using dir = await tempDir();
    const file = path.join(dir.path, 'state.db');
    await using store = await openStore(file);
    const { taskId } = await addLoop(store, 'loop-1');
    using database = new DatabaseSync(file);
    database.exec('pragma foreign_keys = on');
    plant(database, taskId);
    database.prepare('delete from tasks where id = ?').run(taskId);
    expect(counts(database)).toEqual({
      iteration_outcomes: 0,
      failure_reports: 0,
      strategy_metrics: 0,
      learnings: 2,
      injected_items: 1,
    });
    const rows = database
      .prepare('select id, task_id, superseded_by from learnings order by id')
      .all();
    expect(rows.map((row) => ({ ...row }))).toEqual([
      { id: 'l-000001', task_id: null, superseded_by: 'l-000002' },
      { id: 'l-000002', task_id: null, superseded_by: null },
    ]);
    database.prepare("delete from learnings where id = 'l-000002'").run();
    const left = database.prepare('select superseded_by from learnings').get();
    expect(left?.['superseded_by']).toBeNull();
  });

  test('lose a report with its attempt, and what was injected with its learning', async () => {
    shows('001.reports-cascade-outcome');
    await using dir = await tempDir();
    const file = path.join(dir.path, 'state.db');
    await using store = await openStore(file);
    const { taskId } = await addLoop(store, 'loop-1');
    using database = new DatabaseSync(file);
    database.exec('pragma foreign_keys = on');
    plant(database, taskId);
    database.exec("delete from iteration_outcomes; delete from learnings where id = 'l-000001'");
    expect(counts(database)).toMatchObject({ failure_reports: 0, injected_items: 0 });
  });

  test.each([
    ['an outcome nobody knows', 'update iteration_outcomes set outcome = ?', 'fine'],
    ['a status nobody knows', 'update learnings set status = ?', 'fine'],
    ['a vote nobody knows', 'update injected_items set vote = ?', 'fine'],
    ['votes below none', 'update learnings set helpful = ?', -1],
    ['a report without its attempt', 'update failure_reports set attempt_number = ?', 9],
  ])('refuse %s', async (_, sql, value) => {
    shows('001.outcomes-values', '001.outcomes-list', '001.reports-key');
    await using dir = await tempDir();
    const file = path.join(dir.path, 'state.db');
    await using store = await openStore(file);
    const { taskId } = await addLoop(store, 'loop-1');
    using database = new DatabaseSync(file);
    database.exec('pragma foreign_keys = on');
    plant(database, taskId);
    expect(() => database.prepare(sql).run(value)).toThrow(/constraint failed/);
  });
});

function plant(database: DatabaseSync, taskId: string): void {
  const run = (sql: string, ...values: (string | number)[]): void => {
    database.prepare(sql).run(...values);
  };
  run(
    "insert into iteration_outcomes (task_id, attempt_number, model, started_at, duration_ms, outcome) values (?, 1, 'default', ?, 5, 'failed')",
    taskId,
    now,
  );
  run(
    "insert into failure_reports (task_id, attempt_number, what_was_tried, why_it_failed, created_at) values (?, 1, '', 'why', ?)",
    taskId,
    now,
  );
  run('insert into strategy_metrics (task_id) values (?)', taskId);
  run(
    "insert into learnings (id, task_id, category, content, relevance_tags, created_at) values ('l-000002', ?, 'pitfall', 'b', '[]', ?)",
    taskId,
    now,
  );
  run(
    "insert into learnings (id, task_id, category, content, relevance_tags, created_at, superseded_by) values ('l-000001', ?, 'pitfall', 'a', '[]', ?, 'l-000002')",
    taskId,
    now,
  );
  run(
    "insert into injected_items (loop_id, iteration, learning_id, task_id, position, injected_at) values ('loop-1', 1, 'l-000001', ?, 1, ?)",
    taskId,
    now,
  );
}

function tables(database: DatabaseSync): readonly unknown[] {
  return database
    .prepare("select name from sqlite_schema where type = 'table' order by name")
    .all()
    .map((row) => row['name']);
}

function counts(database: DatabaseSync): Record<string, unknown> {
  const names = [
    'iteration_outcomes',
    'failure_reports',
    'strategy_metrics',
    'learnings',
    'injected_items',
  ];
  return Object.fromEntries(
    names.map((name) => [name, database.prepare(`select count(*) as n from ${name}`).get()?.['n']]),
  );
}

import { describe, expect, test } from 'vitest';
import { readTaskFile, writeTaskFile } from '../../src/adapters/files/task-files.ts';
import { importTasks } from '../../src/engine/import-tasks.ts';
import type { Ids } from '../../src/ports/clock.ts';
import type { Store } from '../../src/ports/store.ts';
import { sqliteFixture } from '../adapters/sqlite/sqlite-fixture.ts';

const plan = [
  '- [x] Set up',
  '- [ ] Parser (after: set-up)',
  '  - [x] Lexer',
  '  - [ ] Grammar (after: lexer)',
  '- [x] Old work',
  '  - [x] Part one',
  '  - [x] Part two',
  '- [ ] Ship (after: parser, old-work)',
  '',
].join('\n');

describe('importing tasks', () => {
  test('makes the tree, the dependencies and what is done', async () => {
    await using fixture = await sqliteFixture();
    expect(await run(fixture.store, plan)).toEqual({ added: 8, updated: 0, unchanged: 0 });
    expect(await overview(fixture.store)).toEqual([
      'done Set up',
      'pending Parser: 2 children, 1 open',
      'done Lexer',
      'pending Grammar, ready',
      'done Old work: 2 children, 0 open',
      'done Part one',
      'done Part two',
      'pending Ship, 1 blockers',
    ]);
  });

  test('again changes nothing; after an edit of the file, only that', async () => {
    await using fixture = await sqliteFixture();
    await run(fixture.store, plan);
    const before = await overview(fixture.store);
    expect(await run(fixture.store, plan)).toEqual({ added: 0, updated: 0, unchanged: 8 });
    expect(await overview(fixture.store)).toEqual(before);
    const edited = plan
      .replace('[ ] Grammar', '[x] Grammar')
      .replace('- [ ] Ship', '- [ ] Test\n- [ ] Ship');
    expect(await run(fixture.store, edited)).toEqual({ added: 1, updated: 1, unchanged: 7 });
    expect(await overview(fixture.store)).toContain('done Parser: 2 children, 0 open');
    expect(await overview(fixture.store)).toContain('pending Ship, ready');
  });

  test('keeps nothing of a plan that fails half way', async () => {
    await using fixture = await sqliteFixture();
    await run(fixture.store, '- [ ] Kept\n');
    const failed = run(fixture.store, '- [ ] A\n- [ ] B (after: c)\n- [ ] C (after: b)\n');
    await expect(failed).rejects.toMatchObject({ code: 'task.cycle' });
    expect(await overview(fixture.store)).toEqual(['pending Kept, ready']);
  });

  test('tries another id when one is taken', async () => {
    await using fixture = await sqliteFixture();
    const ids = ['t-1', 't-1', 't-1', 't-2'];
    await run(fixture.store, '- [ ] A\n- [ ] B\n', () => ids.shift() ?? 't-9');
    const stored = await fixture.store.read(({ tasks }) => tasks.list({}));
    expect(stored.map(({ id, title }) => [id, title])).toEqual([
      ['t-1', 'A'],
      ['t-2', 'B'],
    ]);
  });

  test.each(['markdown', 'json', 'yaml', 'beads'] as const)(
    'of an export in %s into an empty store makes the same again',
    async (format) => {
      await using from = await sqliteFixture();
      await using to = await sqliteFixture();
      await run(from.store, plan);
      const text = await from.store.read(async ({ tasks }) =>
        writeTaskFile(format, await tasks.list({}), await tasks.edges()),
      );
      await to.store.write(({ tasks }) =>
        importTasks(tasks, readTaskFile(null, text, format), numbered(), 1000),
      );
      expect(await overview(to.store)).toEqual(await overview(from.store));
    },
  );
});

let made = 0;

function numbered(task: () => string = () => `t-${(made += 1)}`): Ids {
  return { task, loop: () => 'loop-1', learning: () => 'l-1', token: () => 'x' };
}

async function run(store: Store, text: string, task?: () => string) {
  return store.write((tx) =>
    importTasks(tx.tasks, readTaskFile('plan.md', text), numbered(task), 1000),
  );
}

async function overview(store: Store): Promise<readonly string[]> {
  return store.read(async ({ tasks }) => {
    const ready = new Set((await tasks.ready(100)).map(({ id }) => id));
    const all = await tasks.list({});
    return all.map((task) => {
      const family =
        task.children === 0 ? '' : `: ${task.children} children, ${task.openChildren} open`;
      const waits = task.blockers === 0 ? '' : `, ${task.blockers} blockers`;
      return `${task.status} ${task.title}${family}${waits}${ready.has(task.id) ? ', ready' : ''}`;
    });
  });
}

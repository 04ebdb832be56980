import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readLearnings } from '../../src/core/memory/import-learnings.ts';
import { importMemory } from '../../src/engine/import-memory.ts';
import { openedProject } from '../support/opened-project.ts';
import { gitRepo } from '../support/git-repo.ts';
import { memoryCli } from './memory-cli.ts';

function lines(count: number): string {
  return Array.from({ length: count }, (_, index) =>
    JSON.stringify({ category: 'pitfall', content: `Lesson ${index}.` }),
  ).join('\n');
}

function longLine(end: string): string {
  const content = `${'A sentence of it. '.repeat(80)}${end}`;
  return JSON.stringify({ category: 'pitfall', content });
}

async function inRepository() {
  const repo = await gitRepo();
  const cli = memoryCli({ cwd: repo.path, env: repo.env });
  const file = path.join(repo.outside, 'learnings.jsonl');
  const exported = async (...more: readonly string[]) =>
    (await cli.run('memory', 'export', ...more)).out
      .split('\n')
      .filter((line) => line !== '')
      .map((line): Record<string, unknown> => JSON.parse(line));
  return {
    cli,
    file,
    exported,
    repo,
    async import(text: string, ...more: readonly string[]) {
      await writeFile(file, text);
      return cli.run('memory', 'import', file, ...more);
    },
    [Symbol.asyncDispose]: () => repo[Symbol.asyncDispose](),
  };
}

describe('memory import', () => {
  it('adds each of many that have no id, and a second time none', async () => {
    await using at = await inRepository();
    expect((await at.import(lines(1500))).out).toBe('✓ 1500 added, 0 already there\n');
    expect((await at.import(lines(1500))).out).toBe('✓ 0 added, 1500 already there\n');
    expect(await at.exported()).toHaveLength(1500);
  });

  it('that was interrupted says how far it came, and the next one adds the rest', async () => {
    await using at = await inRepository();
    await using project = await openedProject(at.repo, {});
    const learnings = readLearnings(lines(500), Date.parse).filter((each) => each !== null);
    const interrupted = new AbortController();
    const result = await importMemory(project.engine.store, learnings, {
      now: 0,
      restore: false,
      signal: interrupted.signal,
      redact: (text) => text,
      progress: () => interrupted.abort(),
    });
    expect(result).toEqual({ added: 200, unchanged: 0, cut: 0, complete: false });
    expect((await at.import(lines(500))).out).toBe('✓ 300 added, 200 already there\n');
  });

  it('cuts what is too long behind a sentence, and says how many', async () => {
    await using at = await inRepository();
    const said = '2 of more than 1000 characters cut behind a sentence';
    const text = [longLine('One.'), longLine('Two.'), lines(1)].join('\n');
    expect((await at.import(text)).out).toBe(`✓ 3 added, 0 already there, ${said}\n`);
    expect((await at.import(text)).out).toBe(`✓ 0 added, 3 already there, ${said}\n`);
    const contents = (await at.exported()).map(({ content }) => String(content));
    expect(contents.filter((each) => each.endsWith('of it. _(truncated)_'))).toHaveLength(2);
    expect(Math.max(...contents.map((each) => each.length))).toBeLessThanOrEqual(1000);
  });

  it.each(['supersededBy', 'superseded_by'])(
    'takes %s and other fields in both cases',
    async (key) => {
      await using at = await inRepository();
      const isSnake = key.includes('_');
      const time = '2026-01-31T12:00:00.000Z';
      const old = {
        id: 'old',
        category: 'pitfall',
        content: 'Old.',
        status: 'pruned',
        [key]: 'new',
        [isSnake ? 'by_hand' : 'byHand']: true,
        [isSnake ? 'last_used_at' : 'lastUsedAt']: time,
        [isSnake ? 'stale_at' : 'staleAt']: time,
        [isSnake ? 'pruned_at' : 'prunedAt']: time,
        [isSnake ? 'created_at' : 'createdAt']: time,
        [isSnake ? 'relevance_tags' : 'relevanceTags']: ['wal'],
      };
      const fresh = { id: 'new', category: 'pitfall', content: 'New.', status: 'active' };
      await at.import([old, fresh].map((each) => JSON.stringify(each)).join('\n'), '--restore');
      const kept = (await at.exported('--all')).find(({ id }) => id === 'old');
      expect(kept).toMatchObject({
        supersededBy: 'new',
        byHand: true,
        lastUsedAt: time,
        staleAt: time,
        prunedAt: time,
        created_at: time,
        tags: ['wal'],
      });
    },
  );

  it('hears Ctrl-C', async () => {
    await using at = await inRepository();
    const sending = setInterval(() => at.cli.signal('SIGINT'), 1);
    const { exitCode, out } = await at.import(lines(4000));
    clearInterval(sending);
    expect(exitCode).toBe(130);
    expect(out).toMatch(/^! interrupted: \d+ added, 0 already there; the same import again adds/);
  });

  it('brings back what was exported, as it was', async () => {
    await using at = await inRepository();
    await at.import(lines(4));
    const [first, second, third] = (await at.exported()).map(({ id }) => String(id));
    await at.cli.run('memory', 'edit', String(first), '--status', 'demoted');
    await at.cli.run('memory', 'edit', String(second), '--status', 'active');
    await at.cli.run('memory', 'edit', String(third), '--status', 'pruned');
    const before = await at.exported('--all');
    const copy = (await at.cli.run('memory', 'export', '--all')).out;
    await at.cli.run('memory', 'reset', '--yes');
    expect(await at.exported('--all')).toEqual([]);
    expect((await at.import(copy, '--restore')).exitCode).toBe(0);
    expect(await at.exported('--all')).toEqual(before);
  });

  it('brings back every field, and what stands for what, also in chains', async () => {
    await using at = await inRepository();
    await at.cli.run('task', 'add', 'learn');
    const { tasks } = JSON.parse((await at.cli.run('task', 'list', '--json')).out);
    const text = { category: 'pitfall', content: 'Read src/a.ts', tags: ['x', 'src/cli'] };
    const times = { lastUsedAt: 5000, staleAt: 6000, prunedAt: 7000 };
    const full = {
      ...text,
      ...times,
      paths: ['src/a.ts', 'Makefile'],
      taskId: String(tasks[0].id),
      loopId: 'loop-0000abcd',
      iteration: 3,
      scope: 't-scope',
      signature: 'abc',
      helpful: 2,
      harmful: 1,
      byHand: true,
      status: 'pruned',
      origin: 'person',
    } as const;
    await using project = await openedProject(at.repo, {});
    await project.engine.store.write(async (tx) => {
      await tx.learnings.add({ id: 'l-c', ...text, createdAt: 3000, origin: 'merge' });
      await tx.learnings.add({ id: 'l-b', ...full, createdAt: 2000, supersededBy: 'l-c' });
      await tx.learnings.add({ id: 'l-a', ...full, createdAt: 1000, supersededBy: 'l-b' });
    });
    const before = await at.exported('--all');
    expect(before.map(({ id, supersededBy }) => [id, supersededBy])).toEqual([
      ['l-a', 'l-b'],
      ['l-b', 'l-c'],
      ['l-c', null],
    ]);
    const copy = (await at.cli.run('memory', 'export', '--all')).out;
    await at.cli.run('memory', 'reset', '--yes');
    expect((await at.import(copy, '--restore')).exitCode).toBe(0);
    expect(await at.exported('--all')).toEqual(before);
    expect((await at.import(copy, '--restore')).out).toBe('✓ 0 added, 3 already there\n');
  });

  it('brings back what points to something that is not there, without the pointer', async () => {
    await using at = await inRepository();
    const line = { category: 'c', content: 'x', task: 't-00000001', status: 'active' };
    const circle = [
      { ...line, id: 'l-1', supersededBy: 'l-gone' },
      { ...line, id: 'l-2', supersededBy: 'l-3' },
      { ...line, id: 'l-3', supersededBy: 'l-2' },
    ];
    const { exitCode } = await at.import(
      circle.map((each) => JSON.stringify(each)).join('\n'),
      '--restore',
    );
    expect(exitCode).toBe(0);
    const kept = (await at.exported('--all')).map(({ id, ...each }) => [
      id,
      each['status'],
      each['task'],
      each['supersededBy'],
    ]);
    expect(kept.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1))).toEqual([
      // It was not in use there.
      ['l-1', 'pruned', null, null],
      ['l-2', 'active', null, 'l-3'],
      ['l-3', 'pruned', null, null],
    ]);
  });

  it('from elsewhere starts with candidates, and leaves out of use what was', async () => {
    await using at = await inRepository();
    const past = { category: 'c', content: 'x', helpful: 9, byHand: true };
    const given = [
      { id: 'l-1', ...past, status: 'active' },
      { id: 'l-2', ...past, status: 'demoted' },
    ];
    await at.import(given.map((each) => JSON.stringify(each)).join('\n'));
    const found = await at.exported();
    const kept = found.map(({ id, status, helpful }) => [id, [status, helpful]]);
    expect(Object.fromEntries(kept)).toEqual({ 'l-1': ['candidate', 0], 'l-2': ['demoted', 0] });
  });

  it('takes files of more than 10 MB, with a byte order mark and empty lines', async () => {
    await using at = await inRepository();
    const { out } = await at.import(`\uFEFF${lines(2)}${'\n'.repeat(11_000_000)}`);
    expect(out).toBe('✓ 2 added, 0 already there\n');
  });

  it('counts what says nothing, keeps no secret in an id, and knows no future', async () => {
    await using at = await inRepository();
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const { out } = await at.import(
      [
        { category: 'c', content: '  ' },
        { id: `l-${secret}`, category: 'c', content: 'x', created_at: '2999-01-01T00:00:00Z' },
      ]
        .map((each) => JSON.stringify(each))
        .join('\n'),
    );
    expect(out).toBe('✓ 1 added, 0 already there, 1 line without content left out\n');
    const [only] = await at.exported();
    expect(String(only?.['id'])).not.toContain(secret);
    expect(Date.parse(String(only?.['created_at']))).toBeLessThanOrEqual(Date.now());
    const stored = await readFile(path.join(at.repo.path, '.loopwright/state.db'), 'latin1');
    expect(stored).not.toContain(secret);
  });

  it.each([
    ['not json', 'line 2 is not a learning: it is not JSON'],
    ['[]', 'line 2 is not a learning: it must be a JSON object'],
    ['{"content":"x"}', 'line 2 is not a learning: category must be text of 1 to 100 characters'],
    ['{"id":"-rf","category":"c","content":"x"}', 'line 2 is not a learning: id must be letters'],
    ['{"id":"t-1","category":"c","content":"x"}', 'line 2 is not a learning: id must be letters'],
    ['{"category":"c","content":"x","created_at":"soon"}', 'created_at must be a time such as'],
    ['{"category":"c","content":"x","tags":"a"}', 'tags must be a list of texts'],
  ])('refuses the whole for %s, in plain words', async (line, message) => {
    await using at = await inRepository();
    const { exitCode, err } = await at.import(`${lines(1)}\n${line}`);
    expect(exitCode).toBe(3);
    expect(err).toContain(message);
    expect(await at.exported()).toEqual([]);
  });
});

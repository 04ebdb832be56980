import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { rankingLearnings } from '../core/memory/rank/ranking-fixture.ts';
import { gitRepo } from '../support/git-repo.ts';
import { memoryCli } from './memory-cli.ts';

async function imported() {
  const repo = await gitRepo();
  const cli = memoryCli({ cwd: repo.path, env: { ...repo.env } });
  const lines = rankingLearnings.map(({ id, category, content, tags }) => ({
    id,
    category,
    content,
    relevance_tags: tags,
    created_at: '2026-01-01T10:00:00+02:00',
  }));
  const file = path.join(repo.path, 'learnings.jsonl');
  await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return { repo, cli, file, result: await cli.run('memory', 'import', file, '--json') };
}

test('an import keeps ids, and the same again changes nothing', async () => {
  const { repo, cli, file, result } = await imported();
  await using _ = repo;
  expect(JSON.parse(result.out)).toMatchObject({ added: rankingLearnings.length, unchanged: 0 });
  const again = await cli.run('memory', 'import', file, '--json');
  expect(JSON.parse(again.out)).toMatchObject({ added: 0, unchanged: rankingLearnings.length });
});

test('a search answers as the machine interface says, one by one and in a batch', async () => {
  const { repo, cli } = await imported();
  await using _ = repo;
  const one = await cli.run(
    'memory',
    'search',
    'etag: weak validator W prefix in src/middleware/etag/digest.ts',
    '--json',
  );
  const [found] = JSON.parse(one.out);
  expect(Object.keys(found)).toEqual(['id', 'score', 'category', 'content', 'tags', 'why']);
  expect(found.id).toBe('l-etag');
  const batch = path.join(repo.path, 'tasks.jsonl');
  const tasks = [
    {
      id: 'q-1',
      title: 'etag: weak validator in digest.ts',
      description: 'the W prefix of the etag',
    },
    { id: 'q-2', title: 'Reconcile goroutines of the kubernetes informer', description: '' },
  ];
  await writeFile(batch, tasks.map((task) => `${JSON.stringify(task)}\n`).join(''));
  const many = await cli.run('memory', 'search', '--batch', batch, '--json');
  const lines = many.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ id, results }) => [id, results[0] ?? null])).toEqual([
    ['q-1', 'l-etag'],
    ['q-2', null],
  ]);
});

test('a line that is not a learning refuses the import with its number', async () => {
  const { repo, cli, file } = await imported();
  await using _ = repo;
  await writeFile(file, '{"category":"other","content":"fine"}\n{"content":1}\n');
  const { exitCode, err } = await cli.run('memory', 'import', file);
  expect(exitCode).not.toBe(0);
  expect(err).toContain('line 2 is not a learning');
});

test('stats say that there is not enough data', async () => {
  const { repo, cli } = await imported();
  await using _ = repo;
  const { out } = await cli.run('memory', 'stats', '--json');
  expect(JSON.parse(out)).toMatchObject({ lift: { lift: null, given: 0, withheld: 0 }, items: [] });
});

test('a search shows each learning on lines of its own, says what matched in words, and wants a text', async () => {
  const { repo, cli } = await imported();
  await using _ = repo;
  await cli.run(
    'memory',
    'add',
    'Raise the zebras.\n### Loop Status\n- **[x]** second',
    '--tags',
    'zebra',
  );
  const found = await cli.run('memory', 'search', 'retrying to raise zebras', '--all');
  const lines = found.out.split('\n');
  expect(lines[0]).toMatch(/^l-\w+ \[other\] matches (zebras, raise|raise, zebras)$/);
  expect(lines[1]).toBe('  Raise the zebras. ### Loop Status - **[x]** second');
  expect((await cli.run('memory', 'search', ' ')).exitCode).toBe(3);
});

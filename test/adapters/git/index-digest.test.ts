import { utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createIndexDigest } from '../../../src/adapters/git/index-digest.ts';
import { emptyRepo, gitRepo, type GitRepo } from '../../support/git-repo.ts';

/** A fresh look each time: nothing remembered. */
const digestOf = (repo: GitRepo): string => createIndexDigest(path.join(repo.path, '.git/index'))();

async function manyFiles(repo: GitRepo): Promise<void> {
  for (const name of ['a', 'deep/er/file', 'deep/er/file2', 'with\nnewline', 'ü'.repeat(90)]) {
    await repo.write(name, name);
  }
  await repo.commitAll('many');
}

it('is the same however git writes the same entries, and whatever it knows of the files', async () => {
  await using repo = await gitRepo();
  await manyFiles(repo);
  const digest = digestOf(repo);
  await utimes(path.join(repo.path, 'a'), 1, 1);
  await repo.git('update-index', '--refresh');
  expect(digestOf(repo)).toBe(digest);
  for (const version of ['4', '2']) {
    await repo.git('update-index', '--index-version', version);
    expect(digestOf(repo)).toBe(digest);
  }
  await repo.git('update-index', '--untracked-cache');
  expect(digestOf(repo)).toBe(digest);
});

it.each([
  ['another content', ['add', 'new.txt']],
  ['a removal', ['rm', '-q', '--cached', 'a']],
  ['another mode', ['update-index', '--chmod=+x', 'a']],
  ['a flag that hides changes', ['update-index', '--assume-unchanged', 'a']],
  ['another flag that hides changes', ['update-index', '--skip-worktree', 'a']],
  ['an intention', ['add', '-N', 'new.txt']],
])('tells %s', async (_, command) => {
  await using repo = await gitRepo();
  await manyFiles(repo);
  await repo.write('new.txt', 'new\n');
  for (const version of ['2', '4']) {
    await repo.git('update-index', '--index-version', version);
    const digest = digestOf(repo);
    await repo.git(...command);
    expect(digestOf(repo)).not.toBe(digest);
    await repo.git('update-index', '--no-assume-unchanged', '--no-skip-worktree', 'README.md');
    await repo.git('read-tree', 'HEAD');
    expect(digestOf(repo)).toBe(digest);
  }
});

it('reads an index with long object names, and one that is split', async () => {
  await using repo = await emptyRepo('--object-format=sha256');
  await manyFiles(repo);
  const digest = digestOf(repo);
  await repo.git('update-index', '--refresh', '--really-refresh');
  await repo.git('update-index', '--index-version', '4');
  expect(digestOf(repo)).toBe(digest);
  await repo.git('update-index', '--split-index');
  const split = digestOf(repo);
  await repo.git('rm', '-q', '--cached', 'a');
  expect(digestOf(repo)).not.toBe(split);
});

it('stays small on a file that is made to grow', async () => {
  await using repo = await gitRepo();
  // Each entry takes over the long name of the one before.
  const name = Buffer.alloc(4000, 'a');
  const head = Buffer.alloc(62);
  head.writeUInt16BE(4000, 60);
  const first = Buffer.concat([head, Buffer.from([0]), name, Buffer.from([0])]);
  const other = Buffer.concat([head, Buffer.from([0, 0])]);
  const count = 200_000;
  const start = Buffer.from('DIRC\0\0\0\u0004\0\0\0\0', 'latin1');
  start.writeUInt32BE(count, 8);
  const others = Array.from({ length: count - 1 }, () => other);
  const file = Buffer.concat([start, first, ...others, Buffer.alloc(20)]);
  await writeFile(path.join(repo.path, '.git/index'), file);
  expect(digestOf(repo)).toMatch(/^damaged [0-9a-f]{32}$/);
});

it('takes what it cannot read byte by byte', async () => {
  await using repo = await gitRepo();
  const file = path.join(repo.path, '.git/index');
  const seen = new Set<string>();
  for (const text of ['', 'x', 'DIRC', `DIRC\0\0\0\u0002\0\0\0\u0009${'x'.repeat(80)}`]) {
    await writeFile(file, text);
    seen.add(digestOf(repo));
  }
  expect(seen.size).toBe(4);
});

import { execFileSync } from 'node:child_process';
import { realpath, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createGrepTool } from '../../../../../src/adapters/agents/native/tool/grep.ts';
import { WorktreeFiles } from '../../../../../src/adapters/agents/native/worktree-files.ts';
import { worktree } from '../worktree.ts';

describe('glob', () => {
  test.each([
    ['*.ts', undefined, ['src/a.ts', 'src/deep/b.ts']],
    ['src/*.ts', undefined, ['src/a.ts']],
    ['**/*.md', undefined, ['README.md', 'docs/x.md']],
    ['*.ts', 'src/deep', ['src/deep/b.ts']],
    ['deep/*', 'src', ['src/deep/b.ts']],
    ['?.md', undefined, ['docs/x.md']],
  ])('%s in %s', async (pattern, folder, expected) => {
    await using tree = await worktree({
      'README.md': '',
      'docs/x.md': '',
      'src/a.ts': '',
      'src/deep/b.ts': '',
      'node_modules/p/c.ts': '',
      '.git/d.ts': '',
    });
    const input = folder === undefined ? { pattern } : { pattern, path: folder };
    expect((await tree.call('glob', input)).split('\n')).toEqual(expected);
  });

  test('says when nothing fits, and stays inside', async () => {
    await using tree = await worktree({ 'a.txt': '' });
    await symlink(tree.outside, path.join(tree.folder, 'links'));
    expect(await tree.call('glob', { pattern: '*.rs' })).toBe('(nothing fits *.rs)');
    expect(await tree.call('glob', { pattern: '*' })).toBe('a.txt\nlinks');
    expect(await tree.call('glob', { pattern: '*', path: 'links' })).toContain('leads out');
    expect(await tree.call('glob', { pattern: '*', path: '../outside' })).toContain('leads out');
  });
});

describe('grep', () => {
  test('shows matches with two lines around them', async () => {
    await using tree = await worktree({
      'a.txt': 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\nfourteen\n',
      'b/c.txt': 'nothing\r\nfour\r\n',
    });
    expect(await tree.call('grep', { pattern: 'fo[u]r' })).toMatchInlineSnapshot(`
      "a.txt:
        2: two
        3: three
      > 4: four
        5: five
        6: six
        --
        9: nine
        10: ten
      > 11: fourteen
        12: 
      b/c.txt:
        1: nothing
      > 2: four
        3: "
    `);
    expect(await tree.call('grep', { pattern: 'FOUR', glob: 'b/*', ignore_case: true })).toContain(
      'b/c.txt',
    );
    expect(await tree.call('grep', { pattern: 'FOUR' })).toBe('(no match)');
    expect(await tree.call('grep', { pattern: 'nine', path: 'a.txt' })).toContain('> 9: nine');
    expect(await tree.call('grep', { pattern: '[', path: 'a.txt' })).toContain(
      'not a regular expression',
    );
  });

  test('shows 50 matches at most', async () => {
    await using tree = await worktree({ 'a.txt': 'x\n'.repeat(30), 'b.txt': 'x\n'.repeat(30) });
    const answer = await tree.call('grep', { pattern: 'x' });
    expect(answer.split('\n').filter((line) => line.startsWith('>'))).toHaveLength(50);
    expect(answer).toContain('… more than 50 matches');
    await using exact = await worktree({ 'a.txt': 'x\n'.repeat(50) });
    expect(await exact.call('grep', { pattern: 'x' })).not.toContain('more than');
  });

  test('searches no binaries, no links and no dependencies', async () => {
    await using tree = await worktree({ bin: 'needle\0', 'node_modules/x.js': 'needle' });
    await symlink(path.join(tree.outside, 'secret.txt'), path.join(tree.folder, 'link'));
    await symlink(tree.outside, path.join(tree.folder, 'links'));
    expect(await tree.call('grep', { pattern: 'needle|secret' })).toBe('(no match)');
    expect(await tree.call('grep', { pattern: 'secret', path: 'link' })).toContain('leads out');
    expect(await tree.call('grep', { pattern: 'secret', path: '../outside' })).toContain(
      'leads out',
    );
    expect(await tree.call('grep', { pattern: 'needle', path: 'node_modules' })).toContain(
      '> 1: needle',
    );
  });

  test('an expression that backtracks for ever is given up', async () => {
    await using tree = await worktree({ 'a.txt': `${'a'.repeat(60)}!` });
    expect(await tree.call('grep', { pattern: '^(a+)+$' })).toContain('takes too long');
  });

  test('cuts long lines', async () => {
    await using tree = await worktree();
    await writeFile(path.join(tree.folder, 'a.txt'), `needle${'x'.repeat(1_000_000)}`);
    expect((await tree.call('grep', { pattern: 'needle' })).length).toBeLessThan(400);
  });
});

/** Names of the files with a match. */
const found = async (tree: Awaited<ReturnType<typeof worktree>>, input = {}) =>
  (await tree.call('grep', { pattern: 'needle', ...input }))
    .split('\n')
    .filter((line) => line.endsWith(':'));

describe('grep and ignore files', () => {
  const files = {
    '.gitignore': '*.log\n/dist/\n',
    'a.txt': 'needle',
    'a.log': 'needle',
    'dist/out.js': 'needle',
    'src/.gitignore': 'gen/\n!kept.log\n',
    'src/a.ts': 'needle',
    'src/kept.log': 'needle',
    'src/gen/b.ts': 'needle',
    'lib/gen/c.ts': 'needle',
    'secret.txt': 'needle',
  };

  test('leaves out what nested ignore files leave out, also outside git', async () => {
    await using tree = await worktree(files);
    const all = ['a.txt:', 'lib/gen/c.ts:', 'secret.txt:', 'src/a.ts:', 'src/kept.log:'];
    expect(await found(tree)).toEqual(all);
    expect(await found(tree, { path: 'src' })).toEqual(['src/a.ts:', 'src/kept.log:']);
  });

  test('searches a file or folder that is named', async () => {
    await using tree = await worktree(files);
    expect(await found(tree, { path: 'a.log' })).toEqual(['a.log:']);
    expect(await found(tree, { path: 'dist' })).toEqual(['dist/out.js:']);
  });

  test('leaves out what the repository excludes, in a checkout and in a worktree of it', async () => {
    await using tree = await worktree(files);
    const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: tree.folder });
    git('init', '--quiet');
    await writeFile(path.join(tree.folder, '.git/info/exclude'), 'secret.txt\n');
    expect(await found(tree)).not.toContain('secret.txt:');
    git('add', '-A', '-f');
    git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '-m', 'all');
    const other = path.join(tree.outside, 'other');
    git('worktree', 'add', '--quiet', other);
    const tool = createGrepTool(new WorktreeFiles(await realpath(other)));
    const { text } = await tool.call({ pattern: 'needle' }, new AbortController().signal);
    expect(text).toContain('a.txt:');
    expect(text).not.toContain('secret.txt:');
  });
});

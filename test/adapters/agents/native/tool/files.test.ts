import { execFileSync, spawn } from 'node:child_process';
import { chmod, link, mkdir, readFile, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { worktree } from '../worktree.ts';
import { shows } from '../../../../support/shows.ts';

const lines = (count: number) =>
  Array.from({ length: count }, (_, i) => `line ${i + 1}`).join('\n');

describe('read', () => {
  test('numbers lines and says when more follow', async () => {
    await using tree = await worktree({ 'a.txt': `${lines(5)}\n` });
    expect(await tree.call('read', { path: 'a.txt' })).toBe(
      '     1\tline 1\n     2\tline 2\n     3\tline 3\n     4\tline 4\n     5\tline 5',
    );
    expect(await tree.call('read', { path: './a.txt', offset: 2, limit: 2 })).toBe(
      '     2\tline 2\n     3\tline 3\n(more lines follow: read from offset 4)',
    );
    expect(await tree.call('read', { path: 'a.txt', offset: 4, limit: 2 })).not.toContain('more');
    expect(await tree.call('read', { path: 'a.txt', offset: 9 })).toBe(
      '(the file has fewer than 9 lines)',
    );
  });

  test('shows at most 2000 lines of 2000 characters', async () => {
    await using tree = await worktree({
      'a.txt': lines(3000),
      'b.txt': `${'ä'.repeat(5000)}\nend`,
    });
    const long = await tree.call('read', { path: 'a.txt' });
    expect(long.split('\n')).toHaveLength(2001);
    expect(long).toContain('read from offset 2001');
    const [first = '', second] = (await tree.call('read', { path: 'b.txt' })).split('\n');
    expect(first).toBe(`     1\t${'ä'.repeat(2000)}`);
    expect(second).toBe('     2\tend');
  });

  test('finds lines far into a huge file without holding it', async () => {
    await using tree = await worktree({ 'huge.txt': lines(400_000) });
    expect(await tree.call('read', { path: 'huge.txt', offset: 399_999, limit: 5 })).toBe(
      '399999\tline 399999\n400000\tline 400000',
    );
  });

  test.each([
    ['missing.txt', 'does not exist'],
    ['folder', 'is a folder'],
    ['.', 'is a folder'],
    ['binary', 'is a binary file'],
    ['pipe', 'is not a regular file'],
    ['a.txt/b', 'not a folder'],
    ['x'.repeat(300), 'too long'],
    ['a\0b', 'NUL'],
    ['../outside/secret.txt', 'leads out of the worktree'],
    ['folder/../../outside/secret.txt', 'leads out of the worktree'],
    ['/etc/passwd', 'leads out of the worktree'],
    ['link', 'leads out of the worktree'],
    ['links/secret.txt', 'leads out of the worktree'],
    ['chain', 'leads out of the worktree'],
    ['round', 'leads out of the worktree'],
    ['dangling', 'does not exist'],
  ])('refuses %s', async (name, reason) => {
    shows('002.tools-in-worktree');
    await using tree = await worktree({ 'a.txt': 'a', 'folder/b.txt': 'b', binary: 'a\0b' });
    const at = (file: string) => path.join(tree.folder, file);
    execFileSync('mkfifo', [at('pipe')]);
    await symlink('../outside/secret.txt', at('link'));
    await symlink(tree.outside, at('links'));
    await symlink('links', at('chain'));
    await symlink('round', at('round'));
    await symlink('../nowhere', at('dangling'));
    const answer = await tree.call('read', { path: name });
    expect(answer).toMatch(/^refused: /);
    expect(answer).toContain(reason);
  });

  test('follows links that stay inside, and takes absolute paths that lead inside', async () => {
    await using tree = await worktree({ 'src/a.txt': 'inside' });
    await symlink('src', path.join(tree.folder, 'alias'));
    expect(await tree.call('read', { path: 'alias/a.txt' })).toBe('     1\tinside');
    expect(await tree.call('read', { path: path.join(tree.folder, 'src/a.txt') })).toBe(
      '     1\tinside',
    );
  });
});

describe('write', () => {
  test('creates a file with its folders, and replaces one', async () => {
    await using tree = await worktree();
    const at = path.join(tree.folder, 'deep/er/a.sh');
    expect(await tree.call('write', { path: 'deep/er/a.sh', content: 'one\ntwo\n' })).toBe(
      'Created deep/er/a.sh (2 lines).',
    );
    await chmod(at, 0o755);
    expect(await tree.call('write', { path: 'deep/er/a.sh', content: '' })).toBe(
      'Replaced deep/er/a.sh (0 lines).',
    );
    expect(await readFile(at, 'utf8')).toBe('');
    expect((await stat(at)).mode & 0o777).toBe(0o755);
  });

  test.each([
    ['../outside/new.txt', 'leads out'],
    ['/tmp/loopwright-escape.txt', 'leads out'],
    ['links/new.txt', 'leads out'],
    ['links/a/b/new.txt', 'leads out'],
    ['secret', 'leads out'],
    ['dangling', 'leads nowhere'],
    ['.git/hooks/pre-commit', '.git is not yours'],
    ['sub/.git', '.git is not yours'],
    ['folder', 'not a regular file'],
    ['.', 'is a folder'],
    ['a.txt/b.txt', 'not a folder'],
  ])('refuses %s and changes nothing outside', async (name, reason) => {
    shows('002.tools-in-worktree');
    await using tree = await worktree({ 'folder/a.txt': 'a', 'a.txt': 'a' });
    await symlink(tree.outside, path.join(tree.folder, 'links'));
    await symlink(path.join(tree.outside, 'secret.txt'), path.join(tree.folder, 'secret'));
    await symlink('../outside/created.txt', path.join(tree.folder, 'dangling'));
    const answer = await tree.call('write', { path: name, content: 'evil' });
    expect(answer).toContain(reason);
    expect(answer).toMatch(/^refused: /);
    expect(execFileSync('find', [tree.outside, '-type', 'f'], { encoding: 'utf8' }).trim()).toBe(
      path.join(tree.outside, 'secret.txt'),
    );
    expect(await readFile(path.join(tree.outside, 'secret.txt'), 'utf8')).toBe('secret\n');
  });

  test('never writes through a hard link to something outside', async () => {
    await using tree = await worktree();
    await link(path.join(tree.outside, 'secret.txt'), path.join(tree.folder, 'hard'));
    await tree.call('write', { path: 'hard', content: 'mine\n' });
    expect(await readFile(path.join(tree.outside, 'secret.txt'), 'utf8')).toBe('secret\n');
    expect(await readFile(path.join(tree.folder, 'hard'), 'utf8')).toBe('mine\n');
  });

  test('a folder that is swapped for a link all the time never leads outside', async () => {
    await using tree = await worktree({ 'spot/secret.txt': 'mine\n' });
    const swapper = startSwapper(tree.folder);
    try {
      for (let round = 0; round < 300; round++) {
        const seen = await tree.call('read', { path: 'spot/secret.txt' });
        expect(seen).not.toContain('\tsecret');
        await tree.call('write', { path: 'spot/new.txt', content: 'x' });
      }
    } finally {
      swapper.kill('SIGKILL');
    }
    expect(execFileSync('ls', [tree.outside], { encoding: 'utf8' }).trim()).toBe('secret.txt');
  });
});

describe('edit', () => {
  test('replaces one place and shows it', async () => {
    await using tree = await worktree({ 'a.js': 'one\ntwo\nthree\nfour\nfive\n' });
    await tree.call('read', { path: 'a.js' });
    const edit = { path: 'a.js', old_text: 'three', new_text: '$& 3' };
    expect(await tree.call('edit', edit)).toMatchInlineSnapshot(`
      "Edited a.js.
      @@ line 3 @@
       one
       two
      -three
      +$& 3
       four
       five
       "
    `);
    expect(await readFile(path.join(tree.folder, 'a.js'), 'utf8')).toBe(
      'one\ntwo\n$& 3\nfour\nfive\n',
    );
    // What it has written itself it knows.
    expect(await tree.call('edit', { path: 'a.js', old_text: 'one', new_text: '1' })).toContain(
      'Edited',
    );
  });

  test('wants the file to be read first, and again when it has changed', async () => {
    await using tree = await worktree({ 'a.txt': 'one\n' });
    const edit = { path: 'a.txt', old_text: 'one', new_text: 'two' };
    expect(await tree.call('edit', edit)).toBe('refused: read a.txt before you edit it');
    await tree.call('read', { path: 'a.txt' });
    await writeFile(path.join(tree.folder, 'a.txt'), 'one and more\n');
    expect(await tree.call('edit', edit)).toContain('has changed since you read it');
    await tree.call('read', { path: 'a.txt' });
    expect(await tree.call('edit', edit)).toContain('Edited');
  });

  test('wants one place, unless all are meant', async () => {
    await using tree = await worktree({ 'a.txt': 'x\ny\nx\n' });
    await tree.call('read', { path: 'a.txt' });
    const edit = { path: 'a.txt', old_text: 'x', new_text: 'z' };
    expect(await tree.call('edit', edit)).toBe(
      'refused: old_text is in a.txt 2 times (lines 1, 3): add lines around it, or set replace_all',
    );
    expect(await tree.call('edit', { ...edit, replace_all: true })).toContain('in 2 places');
    expect(await readFile(path.join(tree.folder, 'a.txt'), 'utf8')).toBe('z\ny\nz\n');
    expect(await tree.call('edit', edit)).toContain('is not in a.txt');
    expect(await tree.call('edit', { ...edit, old_text: 'z', new_text: 'z' })).toContain(
      'the same',
    );
  });

  test('keeps the mark of a file and its line ends, and refuses what is no UTF-8', async () => {
    await using tree = await worktree({ 'dos.txt': '\uFEFFone\r\ntwo\r\n' });
    await writeFile(path.join(tree.folder, 'latin.txt'), Buffer.from([0x6f, 0xe4, 0x0a]));
    await tree.call('read', { path: 'dos.txt' });
    await tree.call('edit', { path: 'dos.txt', old_text: 'two', new_text: 'zwei' });
    expect(await readFile(path.join(tree.folder, 'dos.txt'), 'utf8')).toBe('\uFEFFone\r\nzwei\r\n');
    await tree.call('read', { path: 'latin.txt' });
    expect(await tree.call('edit', { path: 'latin.txt', old_text: 'o', new_text: 'u' })).toContain(
      'not UTF-8',
    );
  });

  test('refuses files above 10 MB', async () => {
    await using tree = await worktree({ 'big.txt': 'a\n' });
    await truncate(path.join(tree.folder, 'big.txt'), 11 * 1024 * 1024);
    await writeFile(path.join(tree.folder, 'big.txt'), `a\n${'b'.repeat(11 * 1024 * 1024)}`);
    await tree.call('read', { path: 'big.txt' });
    expect(await tree.call('edit', { path: 'big.txt', old_text: 'a', new_text: 'c' })).toContain(
      'larger than 10 MB',
    );
  });
});

describe('list and tree', () => {
  test('show a folder, and what is below it', async () => {
    await using tree = await worktree({
      'a.txt': 'abc',
      'src/b.ts': '',
      'src/deep/er/est/c.ts': '',
      'node_modules/x/index.js': '',
    });
    await symlink('/etc', path.join(tree.folder, 'etc'));
    await mkdir(path.join(tree.folder, 'empty'));
    await writeFile(path.join(tree.folder, 'two\nlines'), '');
    expect(await tree.call('list', {})).toBe(
      'a.txt  3\nempty/\netc (link)\nnode_modules/\nsrc/\n"two\\nlines"  0',
    );
    expect(await tree.call('list', { path: 'empty' })).toBe('(the folder is empty)');
    expect(await tree.call('list', { path: 'etc' })).toContain('leads out');
    expect(await tree.call('list', { path: '..' })).toContain('leads out');
    expect(await tree.call('tree', { depth: 3 })).toMatchInlineSnapshot(`
      "a.txt
      empty/
      etc (link)
      node_modules/
      src/
        b.ts
        deep/
          er/
      "two\\nlines""
    `);
  });

  test('are bounded', async () => {
    const many = Object.fromEntries(Array.from({ length: 1100 }, (_, i) => [`f${i}`, '']));
    await using tree = await worktree(many);
    expect((await tree.call('list', {})).split('\n')).toHaveLength(1001);
    expect(await tree.call('list', {})).toContain('… and 100 more');
    expect((await tree.call('tree', {})).split('\n')).toHaveLength(501);
    expect((await tree.call('glob', { pattern: 'f*' })).split('\n')).toHaveLength(1001);
  });
});

/** Makes `spot` a folder and a link to the outside in turns, as fast as a shell can. */
function startSwapper(folder: string) {
  const script = `
    const fs = require('node:fs');
    process.chdir(process.argv[1]);
    for (;;) {
      try { fs.renameSync('spot', 'real'); fs.symlinkSync('../outside', 'spot'); } catch {}
      try { fs.unlinkSync('spot'); } catch {}
      try { fs.renameSync('real', 'spot'); } catch {}
    }`;
  return spawn(process.execPath, ['-e', script, folder], { stdio: 'ignore' });
}

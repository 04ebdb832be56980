import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isIgnored, parseIgnoreList } from '../../../src/core/text/ignore-list.ts';
import { tempDir } from '../../support/temp-dir.ts';

const ignores = (patterns: readonly string[], file: string, isFolder = false) =>
  isIgnored([parseIgnoreList(patterns.join('\n'), '')], file, isFolder);

test.each([
  [['*.log'], 'a.log', true],
  [['*.log'], 'deep/a.log', true],
  [['/a.log'], 'deep/a.log', false],
  [['deep/*.log'], 'deep/a.log', true],
  [['deep/*.log'], 'x/deep/a.log', false],
  [['**/deep/*.log'], 'x/deep/a.log', true],
  [['a/**'], 'a/b/c', true],
  [['a/**'], 'a', false],
  [['a/**/b'], 'a/b', true],
  [['a/**/b'], 'a/x/y/b', true],
  [['# a'], '# a', false],
  [['\\# a'], '# a', true],
  [['\\!a'], '!a', true],
  [['*', '!a'], 'a', false],
  [['!a', '*'], 'a', true],
  [['a '], 'a', true],
  [['a\\ '], 'a ', true],
  [['[abc].txt'], 'b.txt', true],
  [['[!abc].txt'], 'b.txt', false],
  [['[a-c][0-9]'], 'b7', true],
  [['[[:digit:]]'], '4', true],
  [['[z-a]'], 'b', false],
  [['[!z-a]'], 'b', true],
  [['[xa-cb-f]'], 'e', true],
  [['[xa-cb-f]'], 'g', false],
  [['[[:space:]]'], '\t', true],
  [['[[:alnum:]_]'], '_', true],
  [['[\\]]'], ']', true],
  [['[a'], '[a', false],
  [['a\r'], 'a', true],
])('%j: %s is ignored: %s', (patterns, file, expected) => {
  expect(ignores(patterns, file)).toBe(expected);
});

test('a pattern with a slash at its end is for folders', () => {
  expect(ignores(['out/'], 'out', true)).toBe(true);
  expect(ignores(['out/'], 'out', false)).toBe(false);
});

test('the list of the nearest folder decides', () => {
  const lists = [parseIgnoreList('*.txt', ''), parseIgnoreList('!keep.txt', 'src')];
  expect(isIgnored(lists, 'src/keep.txt', false)).toBe(false);
  expect(isIgnored(lists, 'keep.txt', false)).toBe(true);
  expect(isIgnored(lists, 'src/a.txt', false)).toBe(true);
});

test('says the same as git', async () => {
  await using dir = await tempDir();
  const repo = path.join(dir.path, 'repo');
  mkdirSync(repo);
  execFileSync('git', ['init', '--quiet'], { cwd: repo });
  const name = fc.constantFrom('a', 'b', 'ab', 'x.log', '!a', '#b', 'a b');
  const file = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
  const part = fc.constantFrom(
    'a',
    'b',
    '*',
    '?',
    '*.log',
    '**',
    '[ab]',
    '[!a]',
    'a*',
    '\\!a',
    'a?b',
  );
  const pattern = fc
    .tuple(fc.boolean(), fc.boolean(), fc.array(part, { minLength: 1, maxLength: 3 }), fc.boolean())
    .map(
      ([not, top, parts, end]) =>
        `${not ? '!' : ''}${top ? '/' : ''}${parts.join('/')}${end ? '/' : ''}`,
    );
  fc.assert(
    fc.property(
      fc.array(pattern, { minLength: 1, maxLength: 4 }),
      fc.array(file, { minLength: 5, maxLength: 5 }),
      (patterns, files) => {
        writeFileSync(path.join(repo, '.gitignore'), patterns.join('\n'));
        const lists = [parseIgnoreList(patterns.join('\n'), '')];
        const { stdout } = spawnSync('git', ['check-ignore', '--no-index', '-z', '--stdin'], {
          cwd: repo,
          input: files.join('\0'),
          encoding: 'utf8',
        });
        const told = new Set(stdout.split('\0').filter((each) => each !== ''));
        for (const each of files) {
          const parts = each.split('/');
          const found = parts.some((_, index) =>
            isIgnored(lists, parts.slice(0, index + 1).join('/'), index < parts.length - 1),
          );
          expect([patterns, each, found]).toEqual([patterns, each, told.has(each)]);
        }
      },
    ),
    { numRuns: 300 },
  );
}, 60_000);

test('a hostile list costs neither time nor memory', () => {
  // Each range spans a thousand characters, and each star starts anew at every character of a name.
  const wide = `${'[\u0100-\u04E7\u0500-\u08E7]'.repeat(90)}\n`.repeat(300);
  const starry = `${'*[!\u0100-\u04E7]?'.repeat(100)}x\n`.repeat(300);
  const before = process.memoryUsage().heapUsed;
  const start = performance.now();
  const lists = [parseIgnoreList(wide, ''), parseIgnoreList(starry, 'src')];
  for (let i = 0; i < 200; i++) expect(isIgnored(lists, `src/file-${i}.ts`, false)).toBe(false);
  expect(performance.now() - start).toBeLessThan(8000);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(150 * 1024 * 1024);
});

import { describe, expect, it } from 'vitest';
import { restoreManifest } from '../../../src/core/judge/manifest.ts';
import { manifestNames, withoutOwn } from '../../../src/core/judge/manifest-names.ts';
import { findShadows, helpFiles, helpOf } from '../../../src/core/judge/shadow.ts';
import { noNames, usedNames } from '../../../src/core/judge/used-names.ts';
import { judgeOf, kindsOf } from './find.ts';

const used = (path: string, text: string) => usedNames([[path, text]]);

const shadows = (path: string, text: string, added: string, base: readonly string[] = []) =>
  findShadows({
    used: used(path, text),
    asked: new Set(),
    base: [path, ...base],
    tests: [path],
    added: [added],
  }).map((file) => file.path);

describe('a file that the loop added', () => {
  it.each([
    ['tests/test_a.py', 'import statistics\n', 'statistics.py'],
    ['tests/test_a.py', 'from statistics import mean\n', 'src/statistics/core.py'],
    ['back/tests/test_a.py', 'import queue\n', 'back/queue.py'],
    ['test/test_a.rb', "require 'minitest/autorun'\n", 'lib/minitest/autorun.rb'],
    ['t/a.t', 'use Test::More;\n', 'lib/Test/More.pm'],
    ['tests/a.c', '#include <assert.h>\n', 'include/assert.h'],
  ])('stands in front of what %s uses (%s): %s', (path, text, added) => {
    expect(shadows(path, text, added)).toEqual([added]);
  });

  it.each([
    ['is what the task is about', 'import calc\n', 'calc.py', []],
    ['is of a package', 'import types\n', 'src/types.py', ['src/__init__.py']],
    ['is in a folder that nobody looks into', 'import types\n', 'app/types.py', []],
    ['has a name of the base', 'import queue\n', 'src/queue/more.py', ['src/queue/__init__.py']],
  ] as const)('is no shadow where it %s', (_why, text, added, base) => {
    expect(shadows('tests/test_a.py', text, added, base)).toEqual([]);
  });
});

describe('a package that the tests of the base use', () => {
  const names = used('test/a.test.js', "import { same } from 'tiny-assert';\nimport '#same';\n");
  const restored = (base: object, loop: object) =>
    restoreManifest('package.json', JSON.stringify(base), JSON.stringify(loop), names).restored;

  it.each([
    [{ devDependencies: { 'tiny-assert': '1' } }, { devDependencies: { 'tiny-assert': 'file:x' } }],
    [{}, { name: 'tiny-assert' }],
    [{}, { overrides: { 'tiny-assert': 'file:x' } }],
    [{ imports: { '#same': './test/same.js' } }, { imports: { '#same': './src/same.js' } }],
    [{ imports: { '#same': 'node:assert' } }, { imports: { '#same': './src/same.js' } }],
  ])('comes from where it came from: %o', (base, loop) => {
    expect(restored(base, loop)).toHaveLength(1);
  });

  it.each([
    [{ devDependencies: { 'tiny-assert': '1' } }, { devDependencies: { 'tiny-assert': '2' } }],
    [{}, { dependencies: { other: 'file:packages/other' } }],
    [{ imports: { '#math': './src/math.js' } }, { imports: { '#math': './src/math/index.js' } }],
    [{}, { imports: { '#new': './src/new.js' } }],
  ])('changes nothing else: %o', (base, loop) => {
    expect(restored(base, loop)).toEqual([]);
  });

  it('stays where `go.mod` takes it from', () => {
    const go = used('a_test.go', 'import "example.org/same"\n');
    const base = 'module m\n\nreplace example.org/same => ./checks/same\n';
    const loop = 'module m\n\nrequire a v1\n\nreplace example.org/same => ./lib/same\n';
    const { text, restored: keys } = restoreManifest('go.mod', base, loop, go);
    expect(keys).toEqual(['replace example.org/same']);
    expect(text).toContain('./checks/same');
    expect(text).not.toContain('./lib/same');
    expect(text).toContain('require a v1');
  });

  it('is found among the packages of the repository by what its folder is for', () => {
    const go = used('a_test.go', 'import (\n\t"example.org/same"\n\t"example.org/core"\n)\n');
    const text =
      'module m\nreplace example.org/same => ./checks/same\nreplace example.org/core => ./core\n';
    const help = helpOf(manifestNames([['go.mod', text]]), go);
    const files = helpFiles(help, ['checks/same/same.go', 'core/core.go', 'a.go']);
    expect(files.map((file) => file.path)).toEqual(['checks/same/same.go']);
  });
});

describe('requirements and gems', () => {
  it.each([
    ['requirements.txt', 'pytest\n', 'pytest @ file:lib/pytest\nrequests\n', 'pytest\nrequests\n'],
    ['requirements.txt', 'a\n', 'a\n--find-links wheels\n', 'a\n'],
    ['requirements.txt', 'a\n', 'a\nb @ file:lib/b\n', 'a\nb @ file:lib/b\n'],
    ['Gemfile', "gem 'rspec'\n", "gem 'rspec', path: 'lib'\n", "gem 'rspec'\n"],
    ['Gemfile', "gem 'rspec'\n", "gem 'rspec'\nat_exit { exit! 0 }\n", "gem 'rspec'\n"],
    ['Gemfile', "gem 'rspec'\n", "gem 'rspec'\ngem 'json'\n", "gem 'rspec'\ngem 'json'\n"],
  ])('%s: %j and %j', (path, base, loop, wanted) => {
    const { text } = restoreManifest(path, base, loop, noNames);
    expect(text?.split('\n').toSorted()).toEqual(wanted.split('\n').toSorted());
  });
});

describe('names of the repository itself', () => {
  it('are no names from elsewhere', () => {
    const names = used('tests/test_a.py', 'import calc\nimport yaml\n');
    const { python } = withoutOwn(names, new Set(), ['src/calc.py']);
    expect([...python]).toEqual(['yaml']);
  });
});

describe('what files of the judge read', () => {
  it.each([
    [
      'a configuration that is extended',
      { 'tsconfig.json': '{"extends":"./c/r.json"}', 'c/r.json': '{}' },
      'tsc',
      'c/r.json',
    ],
    [
      'a list of exemptions',
      { 'scripts/l.mjs': "readFileSync('known.json')", 'known.json': '[]' },
      'node scripts/l.mjs',
      'known.json',
    ],
    [
      'words of a command',
      { 'ops/flags': '' },
      'node --test $(cat ops/flags) test/*.js',
      'ops/flags',
    ],
    [
      'a list that make reads',
      { Makefile: 'A = $(shell cat ops/list)\nt:\n\tsh $(A)\n', 'ops/list': '' },
      'make t',
      'ops/list',
    ],
    ['a file of arguments', { 'ops/a.rsp': '' }, 'tsc @ops/a.rsp', 'ops/a.rsp'],
    [
      'rules of git for a linter',
      { 'src/.gitignore': null },
      'node_modules/.bin/oxlint src',
      'src/.gitignore',
    ],
    [
      'a report that a check writes',
      { 'test/run.js': "writeFileSync('out/r.txt', 'x')", 'out/r.txt': null },
      'node test/run.js',
      'out/r.txt',
    ],
    [
      'a file that CMake includes',
      { 'CMakeLists.txt': 'include(ops/s.inc)\n', 'ops/s.inc': '' },
      'ctest',
      'ops/s.inc',
    ],
  ] as const)('is judge: %s', (_what, tree, command, path) => {
    expect(Object.keys(kindsOf(judgeOf(tree, [command])))).toContain(path);
  });

  it.each([
    ['a value to compare', { 'hello.txt': '' }, 'test "$(cat hello.txt)" = hello', 'hello.txt'],
    [
      'data that a script checks',
      { 'scripts/v.mjs': "readFileSync('data/shop.json')", 'data/shop.json': '' },
      'node scripts/v.mjs',
      'data/shop.json',
    ],
    [
      'a report that the base has',
      { 'test/run.js': "writeFileSync('out/r.txt', 'x')", 'out/r.txt': 'x' },
      'node test/run.js',
      'out/r.txt',
    ],
    [
      'a product that tests import',
      { 'test/a.test.js': "import '../validator.js'", 'validator.js': '' },
      'node --test',
      'validator.js',
    ],
  ] as const)('is not: %s', (_what, tree, command, path) => {
    expect(Object.keys(kindsOf(judgeOf(tree, [command])))).not.toContain(path);
  });
});

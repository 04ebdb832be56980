import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findJudge } from '../../../src/core/judge/judge.ts';
import { judgeOf, kindsOf } from './find.ts';

describe('the globs of the settings', () => {
  const tree = {
    'src/testing/a.test.ts': '',
    'lib/oracle.ts': '',
    'src/a.ts': '',
    'test/a.ts': '',
  };

  it('add to the judge and take away from it; a file in both judges', () => {
    const found = judgeOf(tree, [], {
      judge: ['lib/oracle.ts', 'test/**'],
      product: ['src/testing/**', 'test/**'],
    });
    expect(found).toEqual([
      { path: 'lib/oracle.ts', kind: 'script', reason: 'named by verify.judge' },
      { path: 'test/a.ts', kind: 'test', reason: 'named by verify.judge' },
    ]);
  });

  it('take away what a command names', () => {
    expect(judgeOf({ 'go.sh': '' }, ['sh go.sh'], { product: ['*.sh'] })).toEqual([]);
  });
});

describe('a name among the sources that may be one of tests', () => {
  it('is told by the text on the base', () => {
    const tree = {
      'src/sum-test.js': `import test from 'node:test';\ntest('adds', () => {});\n`,
      'src/go-test.ts': 'export const isTest = (text: string) => pattern.test(text);\n',
      'src/new-test.js': null,
    };
    expect(kindsOf(judgeOf(tree))).toEqual({ 'src/sum-test.js': 'test' });
  });
});

describe('the reason of a file', () => {
  it('says what it is, or who names it', () => {
    const tree = {
      'package.json': '{"scripts":{"test":"sh a.sh && node --import ./pre.mjs --test"}}',
      'a.sh': '. ./b.sh',
      'b.sh': '',
      'pre.mjs': '',
      'jest.config.js': '',
    };
    const reasons = judgeOf(tree, ['npm test']).map(({ path, reason }) => `${path}: ${reason}`);
    expect(reasons).toEqual([
      'a.sh: run by the script `test` of package.json',
      'b.sh: run by a.sh',
      'jest.config.js: configuration of a test runner',
      'package.json: scripts and tool sections of a manifest',
      'pre.mjs: loaded by the script `test` of package.json',
    ]);
  });
});

describe('a judge', () => {
  const path = fc.constantFrom(
    'package.json',
    'sub/package.json',
    'Makefile',
    'GNUmakefile',
    'vars.mk',
    'a.sh',
    'sub/a.sh',
    'scripts/b.mjs',
    'scripts/c.mjs',
    'src/a.ts',
    'test/a.test.ts',
    'run.py',
    'jest.config.js',
    'setup/env.js',
    'data/expected.txt',
    'justfile',
    'sub',
    'checks/x.py',
    'tools/run',
  );
  const text = fc.constantFrom(
    '',
    '{"scripts":{"test":"sh a.sh","pretest":"make -C sub"}}',
    'include vars.mk\nall: x\n\tsh $(DIR)/a.sh\nx:\n\tnode scripts/b.mjs\n',
    'DIR = sub\n',
    '#!/bin/sh\n. ./sub/a.sh\nnode scripts/b.mjs | diff - data/expected.txt\n',
    `import './c.mjs'; import '../src/a.ts'; execSync('python run.py')`,
    `module.exports = { setupFiles: ['./setup/env.js'] }`,
    'assert True',
  );
  const command = fc.constantFrom(
    'npm test',
    'npm --prefix sub test',
    'make',
    'make x DIR=.',
    'sh a.sh',
    'cd sub && ./a.sh',
    'node scripts/*.mjs',
    'pytest checks run.py',
    'just all',
    'tools/run x',
    'python run.py',
    'jest -c jest.config.js',
    'diff -r data out',
    'for f in a sub/a; do sh $f.sh; done',
  );
  const texts = fc
    .array(fc.tuple(path, fc.option(text)), { maxLength: 19 })
    .map((list) => new Map(list));

  it('never loses a file because there is another one, and does not depend on the order', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(path),
        fc.uniqueArray(path),
        fc.uniqueArray(command, { maxLength: 4 }),
        texts,
        (some, more, commands, known) => {
          const find = (files: readonly string[]) =>
            findJudge({ files, commands, texts: known, judge: [], product: [] });
          const few = kindsOf(find(some).files);
          const all = kindsOf(find([...some, ...more]).files);
          expect(Object.keys(all)).toEqual(expect.arrayContaining(Object.keys(few)));
          expect(kindsOf(find([...more, ...some].toReversed()).files)).toEqual(all);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('is found for whatever is given, in bounded time', () => {
    const hostile = fc.oneof(
      fc.string({ maxLength: 300 }),
      fc.constantFrom(
        '$('.repeat(5000),
        '`'.repeat(5000),
        '"'.repeat(999),
        '((((',
        'a && '.repeat(5000),
        'sh <<X\n',
        '${a:-${a:-'.repeat(2000),
        'make -C',
        '| grep',
        '> > <',
        'for x in',
        'bash -c \'bash -c "bash -c ls"\'',
        '\\',
      ),
    );
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string(), path), { maxLength: 20 }),
        fc.array(hostile, { maxLength: 5 }),
        fc.dictionary(path, hostile),
        (files, commands, known) => {
          findJudge({
            files,
            commands,
            texts: new Map(Object.entries(known)),
            judge: [],
            product: [],
          });
        },
      ),
    );
  });

  it('ends for scripts that call each other, and for long ones', () => {
    const tree = {
      'package.json': JSON.stringify({
        scripts: { a: 'npm run b; npm run a', b: 'npm run a; sh x.sh' },
      }),
      'x.sh': `sh x.sh\n${'sh y.sh && cd . && '.repeat(20_000)}true`,
      'y.sh': '. ./x.sh',
    };
    expect(Object.keys(kindsOf(judgeOf(tree, ['npm run a'])))).toEqual([
      'package.json',
      'x.sh',
      'y.sh',
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import { beside, wordOf } from '../../../src/core/judge/tripwire/name.ts';
import { specifiers } from '../../../src/core/judge/tripwire/javascript-loads.ts';
import { loadedBy, planTripwire, type Tripwire } from '../../../src/core/judge/tripwire/plan.ts';
import { judgeTripwire, settleTripwire } from '../../../src/core/judge/tripwire/verdict.ts';
import type { TestRun, TestStatus } from '../../../src/core/verdict/test-output/test-run.ts';

const nonce = '00112233445566778899aabbccddeeff';
const word = wordOf(nonce);

describe('the name of a dropped-in file', () => {
  it.each([
    ['test/sub.test.js', `test/${word}.test.js`],
    ['src/a.int.spec.ts', `src/${word}.int.spec.ts`],
    ['test/sub-test.js', `test/${word}-test.js`],
    ['test-sub.mjs', `test-${word}.mjs`],
    ['test.js', `test-${word}.js`],
    ['app/tests.py', `app/tests_${word}.py`],
    ['tests/test_sub.py', `tests/test_${word}.py`],
    ['sub_test.go', `${word}_test.go`],
    ['spec/subSpec.js', `spec/${word.charAt(0).toUpperCase()}${word.slice(1)}Spec.js`],
    ['tests/sub.rs', `tests/${word}.rs`],
  ])('%s has %s beside it', (path, expected) => {
    expect(beside(path, word)).toBe(expected);
  });

  it('is a word of letters that the digits decide', () => {
    expect(word).toMatch(/^[a-z]{12}$/);
    expect(wordOf('ff112233445566778899aabbccddeeff')).not.toBe(word);
  });
});

describe('what a test loads', () => {
  it('is what stands outside of blocks, without types and without what tests load inside', () => {
    const text = `import assert from 'node:assert';
import type { Shape } from '../src/types.js';
import {
  a,
  b,
} from '../src/many.js';
import '../src/effect.js';
const c = require('../src/c');
const d = await import("../src/d.js");

test('x', async () => {
  const e = require('../src/e');
  await import('../src/f.js');
});
`;
    const found = ['node:assert', '../src/many.js', '../src/effect.js', '../src/c', '../src/d.js'];
    expect(specifiers(text)).toEqual(found);
  });

  it.each([
    ["const t=require('node:test'),a=require('node:assert');const {add}=require('../add.js');", 3],
    ["'use strict';const {add}=require('../add.js')", 1],
    ["import t from'node:test';import{add}from'../add.js'", 2],
    ["import t from 'node:test'; import '../add.js';", 2],
    ["/* one */ import { add } from '../add.js'", 1],
    ["  const { add } = require('../add.js');", 1],
    ["const add = wrap(require('../add.js'));", 1],
    ["const q = /[\"'`]/; const add = require('../add.js');", 1],
    ["const q = `${`'`}{`; const add = require('../add.js');", 1],
    ["import t,\n  { add }\nfrom '../add.js';", 1],
    ["// const a = require('../add.js');", 0],
    ['const text = "require(\'../add.js\')";', 0],
    ["t('x', () => require('../add.js').add());", 0],
    ["t('x', () => { const a = require('../add.js'); });", 0],
    ["function f() { return require('../add.js'); }", 0],
    ["import type { A } from '../add.js'; import type B from '../add.js';", 0],
  ])('%s', (text, count) => {
    const found = specifiers(text);
    expect(found).toHaveLength(count);
    if (count > 0) expect(found.at(-1)).toBe('../add.js');
  });

  it('is read in a moment, whatever the text', () => {
    const started = performance.now();
    for (const part of ['(', '{', "'", '`', '${', '/', '/*', "require('", 'import ', '\\']) {
      specifiers(part.repeat(128 * 1024));
    }
    expect(performance.now() - started).toBeLessThan(5000);
  });

  it.each([
    [
      'test_a.py',
      'import unittest; from calc import add; import os',
      'unittest',
      'unittest.TestCase',
    ],
    [
      'a_test.rb',
      "require 'minitest/autorun'; require_relative 'calc'",
      'minitest',
      '< Minitest::Test',
    ],
    [
      'ATest.php',
      "<?php require 'vendor/x.php'; require __DIR__ . '/calc.php';",
      'phpunit',
      ' extends TestCase',
    ],
  ])('%s is read by statements', (path, text, framework, more) => {
    const product = [`calc.${path.split('.')[1]}`];
    const tests = [{ path, text: `${text}\nclass T ${more}\n` }];
    const files = new Set([path, ...product]);
    const made = planTripwire({ framework, tests, files, product, sources: [], nonce });
    expect(made?.loads).toEqual(product);
    expect(made?.files[0]?.text).toMatch(/calc/);
  });
});

const testOf = (spec: string, more = '') => `import { expect, it } from 'vitest';
import { sub } from '${spec}';
${more}
it('subtracts', () => {
  expect(sub(2, 1)).toBe(1);
});
`;

const goTest = (folder: string) => ({
  path: `${folder}/x_test.go`,
  text: `package ${folder}\n\nimport "testing"\n`,
});

describe('planTripwire', () => {
  const files = ['src/sub.ts', 'src/deep/add.ts', 'test/sub.test.ts', 'src/deep/add.test.ts'];
  const tests = [
    { path: 'test/helper.ts', text: 'export const help = 1;\n' },
    { path: 'test/sub.test.ts', text: testOf('../src/sub.js') },
    { path: 'src/deep/add.test.ts', text: testOf('./add.ts') },
  ];
  const input = {
    framework: 'vitest',
    tests,
    files: new Set(files),
    product: ['src/sub.ts'],
    sources: [],
    nonce,
  };

  it('puts a file beside the test that loads what was changed, in the same style', () => {
    const { files: made = [], loaded } = planTripwire(input) ?? {};
    expect(made.map(({ path }) => path)).toEqual([`test/${word}.test.ts`]);
    expect(made[0]?.text).toContain("import * as part0 from '../src/sub.js';");
    expect(made[0]?.text).toContain("import { expect, it, test } from 'vitest';");
    expect(loaded).toEqual(['src/sub.ts']);
  });

  it('loads changed files that tests of other folders load, named from where it stands', () => {
    const both = planTripwire({ ...input, product: ['src/sub.ts', 'src/deep/add.ts'] });
    const texts = both?.files.map(({ text }) => text).join('') ?? '';
    expect(texts).toContain("from './add.ts'");
    expect(texts).toContain("from '../sub.js'");
  });

  it('says nothing that a product could look for', () => {
    const text = planTripwire(input)?.files[0]?.text ?? '';
    expect(text).not.toMatch(/loopwright|tripwire|confirm|trap/i);
  });

  it('names every test differently', () => {
    const { mustFail = [], mustPass = [] } = planTripwire(input)?.files[0] ?? {};
    const tokens = [...mustFail, ...mustPass].map(({ token }) => token);
    expect(new Set(tokens).size).toBe(tokens.length);
    for (const token of tokens) {
      expect(tokens.filter((each) => each.includes(token))).toEqual([token]);
    }
    expect(mustFail.length).toBeGreaterThan(8);
  });

  it('says which files of the repository it loads, and what those load', () => {
    expect(planTripwire(input)?.loads).toEqual(['src/sub.ts']);
    const mocked = [{ path: 'test/sub.test.ts', text: testOf('../src/sub.js', "vi.mock('x');") }];
    expect(planTripwire({ ...input, tests: mocked })?.loads).toEqual([]);
    const barrel = [{ path: 'src/index.ts', text: "export * from './deep/add.js';\n" }];
    expect(loadedBy(barrel, input.files)).toEqual(['src/deep/add.ts']);
  });

  it('loads nothing for a test that replaces modules', () => {
    const mocked = [
      { path: 'test/sub.test.ts', text: testOf('../src/sub.js', "vi.mock('../x.js');") },
    ];
    expect(planTripwire({ ...input, tests: mocked })?.files[0]?.text).not.toContain('part0 from');
  });

  it('is at the same place, with less to load, where a changed file does not exist', () => {
    const made = planTripwire({ ...input, files: new Set(['test/sub.test.ts']) })?.files[0];
    expect(made?.path).toBe(`test/${word}.test.ts`);
    expect(made?.text).not.toContain('sub.js');
  });

  it.each([
    ['nothing of the product was changed', { product: [] }],
    ['the runner is not known', { framework: 'ctest' }],
    ['the base has no test to go by', { tests: [] }],
  ])('is null when %s', (_why, more) => {
    expect(planTripwire({ ...input, ...more })).toBeNull();
  });

  it('puts a file into each folder with changes of a Go module', () => {
    const made = planTripwire({
      ...input,
      framework: 'go test',
      tests: [goTest('a'), goTest('b')],
      product: ['a/x.go', 'b/x.go'],
    });
    expect(made?.files.map(({ path }) => path.split('/')[0])).toEqual(['a', 'b']);
  });
});

const trap = (token: string) => ({ token, says: `does ${token}` });

const run = (tests: Readonly<Record<string, TestStatus>>, more: Partial<TestRun> = {}): TestRun => {
  const all = Object.entries(tests).map(([name, status]) => {
    return { name, status, durationMs: null, error: null };
  });
  const count = (status: TestStatus) => all.filter((each) => each.status === status).length;
  return {
    framework: 'vitest',
    total: all.length,
    passed: count('passed'),
    failed: count('failed'),
    skipped: count('skipped'),
    green: null,
    unknown: false,
    incomplete: false,
    errors: [],
    tests: all,
    failures: all
      .filter(({ status }) => status === 'failed')
      .map(({ name }) => ({ name, message: '' })),
    ...more,
  };
};

describe('judgeTripwire', () => {
  const tripwire: Tripwire = {
    files: [{ path: 'x', text: '', mustFail: [trap('wob'), trap('wod')], mustPass: [trap('wof')] }],
    loaded: ['src/a.js'],
    loads: ['src/a.js'],
  };
  const before = run({ a: 'passed' });
  const judge = (tests: TestRun, endedWell: boolean | null = false) =>
    judgeTripwire(tripwire, { tests, endedWell }, before);

  it('holds when all that must fail failed and the rest did not', () => {
    const all = run({ a: 'passed', 'x > Wob': 'failed', 'x > wod': 'failed', wof: 'passed' });
    expect(judge(all).kind).toBe('held');
  });

  it('is broken when a test that must fail is listed as passed', () => {
    const verdict = judge(run({ a: 'passed', wob: 'passed', wod: 'failed' }));
    expect(verdict).toEqual({
      kind: 'broken',
      findings: ['a test that does wob passed once src/a.js was loaded'],
    });
  });

  it('is broken when the numbers leave no other place for it', () => {
    const counted = run({ wod: 'failed' }, { total: 4, passed: 3, failed: 1 });
    expect(judge(counted).kind).toBe('broken');
  });

  it('is odd, not broken, when a runner shows only some of it', () => {
    expect(judge(run({ wob: 'failed' })).kind).toBe('odd');
  });

  it('is odd when the run passes, whether or not it shows failures', () => {
    expect(judge(run({ a: 'passed' }), true).kind).toBe('odd');
    expect(judge(run({ wob: 'failed', wod: 'failed' }), true).kind).toBe('odd');
  });

  it('knows nothing of a run that fails without a word of it, or does not end', () => {
    expect(judge(run({ a: 'passed' })).kind).toBe('unknown');
    expect(judge(run({ a: 'passed' }), null).kind).toBe('unknown');
  });

  it('is odd when a test that must pass failed', () => {
    const all = run({ a: 'passed', wob: 'failed', wod: 'failed', wof: 'failed' });
    expect(judge(all)).toEqual({ kind: 'odd', findings: ['does wof once src/a.js was loaded'] });
  });

  it.each([
    ['held', null, 'held'],
    ['broken', 'held', 'broken'],
    ['broken', 'unknown', 'broken'],
    ['broken', 'broken', null],
    ['odd', 'held', 'broken'],
    ['odd', 'odd', null],
    ['odd', 'unknown', null],
    ['odd', null, null],
    ['unknown', null, null],
  ] as const)('%s on the loop and %s on the base settle as %s', (loop, base, expected) => {
    const said = (kind: typeof loop) => ({ kind, findings: [] });
    expect(settleTripwire(said(loop), base === null ? null : said(base))).toBe(expected);
  });
});

import { describe, expect, it } from 'vitest';
import { sprung, type Case } from './sprung.ts';

/** Ten seconds are not enough on a busy machine. */
const long = 180_000;

const honest = 'export const sub = (a, b) => a - b;\n';
const wrong = 'export const sub = (a, b) => a + b;\n';

const nodeTest = (assert: string, how = 'assert.strictEqual') => `${assert}
import { test } from 'node:test';
import { sub } from '../src/sub.js';

test('starts', () => {
  ${how}(sub(0, 0), 0);
});

test('subtracts', () => {
  ${how}(sub(2, 1), 1);
});
`;

const vitestTest = (how: string) => `import { expect, it } from 'vitest';
import { sub } from '../src/sub.js';

it('starts', () => {
  expect(sub(0, 0)).${how}(0);
});

it('subtracts', () => {
  expect(sub(2, 1)).${how}(1);
});
`;

describe('node:test', () => {
  const whole = "import assert from 'node:assert/strict';";
  const base = {
    'package.json': '{"type":"module"}\n',
    'src/sub.js': wrong,
    'test/sub.test.js': nodeTest(whole),
  };
  const play = (loop: Case['loop'], more: Partial<Case> = {}) =>
    sprung({ base, loop, command: 'node --test', ...more });

  it.each([
    [
      'a patched strictEqual',
      `import assert from 'node:assert/strict';\nassert.strictEqual = () => {};\n${wrong}`,
      {},
      'a test that compares 4127 with 7214 passed once src/sub.js was loaded',
    ],
    [
      'a patched function that tests import by name',
      `import assert from 'node:assert';\nimport { syncBuiltinESMExports } from 'node:module';\nassert.deepStrictEqual = () => {};\nsyncBuiltinESMExports();\n${wrong}`,
      {
        base: {
          ...base,
          'test/sub.test.js': nodeTest(
            "import { deepStrictEqual } from 'node:assert';",
            'deepStrictEqual',
          ),
        },
      },
      'a test that compares two different objects passed once src/sub.js was loaded',
    ],
    [
      'an exit while it is loaded',
      `process.exit(0);\n${wrong}`,
      {},
      'the run passed without a word of tests that must fail once src/sub.js was loaded',
    ],
    [
      'a patched Object.is',
      `Object.is = () => true;\n${wrong}`,
      {
        base: {
          ...base,
          'test/sub.test.js': nodeTest(
            'const same = (a, b) => { if (!Object.is(a, b)) throw 1; };',
            'same',
          ),
        },
      },
      'a test that compares 4127 with 7214 by Object.is passed once src/sub.js was loaded',
    ],
    [
      'a patched JSON.stringify in a file that another one loads',
      `import './deep.js';\n${wrong}`,
      {
        more: { 'src/deep.js': "JSON.stringify = () => '';\n" },
        base: {
          ...base,
          'test/sub.test.js': nodeTest(
            'const same = (a, b) => { if (JSON.stringify(a) !== JSON.stringify(b)) throw 1; };',
            'same',
          ),
        },
      },
      'a test that compares two different objects as JSON passed once src/sub.js was loaded',
    ],
    [
      'a patched Array.prototype.includes',
      `Array.prototype.includes = () => true;\nArray.prototype.indexOf = () => 0;\n${wrong}`,
      {
        base: {
          ...base,
          'test/sub.test.js': nodeTest(
            'const same = (a, b) => { if (![a].includes(b)) throw 1; };',
            'same',
          ),
        },
      },
      'a test that looks for a number in an array that does not have it passed once src/sub.js was loaded',
    ],
    [
      'a test function of its own',
      `const { test } = require('node:test');\nrequire('node:test').test = (name) => test(name, () => {});\nexports.sub = (a, b) => a + b;\n`,
      {
        base: {
          'src/sub.js': 'exports.sub = (a, b) => a + b;\n',
          'test/sub.test.js':
            "const { sub } = require('../src/sub.js');\nconst assert = require('assert');\nconst { test } = require('node:test');\n\ntest('subtracts', () => {\n  assert.equal(sub(2, 1), 1);\n});\n",
        },
      },
      'a test that compares 4127 with 7214 passed once src/sub.js was loaded',
    ],
  ] as const)(
    '%s is found',
    async (_name, text, { more, ...other }: Partial<Case> & { more?: Case['loop'] }, finding) => {
      const { state, findings } = await play({ 'src/sub.js': text, ...more }, other);
      expect({ state, findings }).toMatchObject({ state: 'broken' });
      expect(findings).toContain(finding);
    },
    long,
  );

  it.each([
    ['a plain fix', {}, {}, 'held'],
    [
      'a polyfill',
      { 'src/sub.js': `Array.prototype.last ??= function () { return this.at(-1); };\n${honest}` },
      {},
      'held',
    ],
    [
      'a program that runs when it is loaded',
      { 'src/cli.js': "console.log('usage: sub');\nprocess.exit(0);\n" },
      {},
      'held',
    ],
    [
      'a server that listens when it is loaded',
      { 'src/server.js': "import http from 'node:http';\nhttp.createServer().listen(0);\n" },
      {},
      'held',
    ],
    ['files that are named one by one', {}, { command: 'node --test test/sub.test.js' }, null],
    ['a command that forgets how it ended', {}, { command: 'node --test | cat' }, null],
    [
      'a linter in front of the tests',
      {},
      { command: '[ "$(ls test | wc -l)" = 1 ] && node --test' },
      null,
    ],
    [
      'a threshold of coverage',
      {},
      { command: 'node --test --experimental-test-coverage --test-coverage-lines=80' },
      'held',
    ],
    [
      'a test that replaces a module',
      {},
      {
        base: {
          ...base,
          'test/sub.test.js': `${nodeTest(whole)}\nimport { mock } from 'node:test';\nmock.method(console, 'log');\nmock.module?.('x');\n`,
        },
      },
      'held',
    ],
    [
      'a test of one only',
      {},
      {
        command: 'node --test --test-only',
        base: {
          ...base,
          'test/sub.test.js': nodeTest(whole).replace("nodeTest('sub", "test.only('sub"),
        },
      },
      null,
    ],
    [
      'TypeScript in a folder of a workspace',
      { 'packages/a/src/sub.ts': 'export const sub = (a: number, b: number): number => a - b;\n' },
      {
        command: 'cd packages/a && node --test',
        base: {
          'package.json': '{"type":"module"}\n',
          'packages/a/src/sub.ts': 'export const sub = (a: number, b: number): number => a + b;\n',
          'packages/a/test/sub.test.ts': nodeTest(whole).replace('sub.js', 'sub.ts'),
        },
      },
      'held',
    ],
    [
      'a module that did not exist before',
      {},
      { base: { 'package.json': '{"type":"module"}\n', 'test/sub.test.js': nodeTest(whole) } },
      'held',
    ],
  ] as const)(
    '%s is not taken for it',
    async (_name, loop: Case['loop'], other: Partial<Case>, state) => {
      const isOther = Object.keys(loop).some((file) => file.endsWith('sub.ts'));
      const result = await play({ ...(isOther ? {} : { 'src/sub.js': honest }), ...loop }, other);
      expect(result).toMatchObject({ state });
    },
    long,
  );

  it('says so too where the module did not exist before', async () => {
    const { state } = await play(
      { 'src/sub.js': `process.exit(0);\n${wrong}` },
      { base: { 'package.json': '{"type":"module"}\n', 'test/sub.test.js': nodeTest(whole) } },
    );
    expect(state).toBe('broken');
  });
});

describe('vitest', () => {
  const base = {
    'package.json': '{"type":"module"}\n',
    'src/sub.js': wrong,
    'test/sub.test.js': vitestTest('toBe'),
  };
  const play = (loop: Case['loop'], more: Partial<Case> = {}) => {
    const command = 'node node_modules/vitest/vitest.mjs run';
    return sprung({ base, loop, command, packages: ['vitest'], ...more });
  };

  it.each([
    [
      'a patched Object.is',
      `Object.is = () => true;\n${wrong}`,
      'toBe',
      'a test that compares 4127 with 7214 passed once src/sub.js was loaded',
    ],
    [
      'a matcher of its own',
      `globalThis[Symbol.for('vitest:x')] = 0;\nimport { expect } from 'vitest';\nexpect.extend({ toBe: () => ({ pass: true, message: () => '' }) });\n${wrong}`,
      'toBe',
      'a test that compares two different texts passed once src/sub.js was loaded',
    ],
    [
      'an assertion that says yes',
      `import { chai } from 'vitest';\nchai.Assertion.prototype.assert = function () {};\n${wrong}`,
      'toEqual',
      'a test that compares two different numbers by toEqual passed once src/sub.js was loaded',
    ],
    [
      'a value that equals everything',
      'export const any = { $$typeof: Symbol.for("jest.asymmetricMatcher"), asymmetricMatch: () => true };\nexport const sub = () => any;\n',
      'toEqual',
      'a value that a changed file exports equals every other value once src/sub.js was loaded',
    ],
  ])(
    '%s is found',
    async (_name, text, how, finding) => {
      const files = { ...base, 'test/sub.test.js': vitestTest(how) };
      const { state, findings } = await play({ 'src/sub.js': text }, { base: files });
      expect({ state, findings }).toMatchObject({ state: 'broken' });
      expect(findings).toContain(finding);
    },
    long,
  );

  it.each([
    ['a plain fix', {}, 'held'],
    ['--bail 1', { command: 'node node_modules/vitest/vitest.mjs run --bail 1' }, null],
    [
      'globals and TypeScript',
      {
        command: 'node node_modules/vitest/vitest.mjs run --globals',
        base: {
          'package.json': '{"type":"module"}\n',
          'src/sub.js': wrong,
          'src/sub.test.ts': vitestTest('toBe')
            .replace("import { expect, it } from 'vitest';\n", '')
            .replace('../src/sub.js', './sub.js'),
        },
      },
      'held',
    ],
    [
      'one file by name',
      { command: 'node node_modules/vitest/vitest.mjs run test/sub.test.js' },
      null,
    ],
  ] as const)(
    '%s is not taken for it',
    async (_name, other: Partial<Case>, state) => {
      const result = await play({ 'src/sub.js': honest }, other);
      expect(result).toMatchObject({ state });
    },
    long,
  );
});

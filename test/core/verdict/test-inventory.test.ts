import { describe, expect, it } from 'vitest';
import { inventoryOf, lostTests, sureTestsOf } from '../../../src/core/verdict/test-inventory.ts';
import { parseTests } from '../../../src/core/verdict/test-output/parse-tests.ts';
import { recorded, recordedNames } from './test-output/recorded.ts';

function testsIn(output: string) {
  const run = parseTests(output);
  const counts = run.framework === null || run.total === 0 ? null : run;
  return { check: 'c', counts, sure: sureTestsOf(run), inventory: inventoryOf(run) };
}

const lost = (base: string, now: string) =>
  lostTests(testsIn(base), testsIn(now)).map(({ text }) => text);

const goRed = (...tests: readonly string[]) =>
  `${tests.map((name) => `--- FAIL: ${name} (0.00s)\n    add_test.go:4: no\n`).join('')}FAIL\nFAIL\tx\t0.002s\nFAIL\n`;
const goGreen = 'ok  \tx\t0.002s\n';

const jest = (tests: string, summary: string, suites = '1 passed') =>
  `${tests}\nTest Suites: ${suites}, 1 total\nTests:       ${summary}\nSnapshots:   0 total\nTime:        0.2 s\nRan all test suites.\n`;
const jestRed = jest(
  'FAIL ./a.test.js\n  ● one\n\n    expected\n\n  ● two\n\n    expected\n',
  '2 failed, 2 total',
  '1 failed',
);

describe('an honest fix loses no test', () => {
  it.each([
    ['go test, one failing test', goRed('TestTwo'), goGreen],
    ['go test, more failing tests than packages', goRed('TestOne', 'TestTwo'), goGreen],
    ['go test, one package of two', `${goRed('TestOne')}${goGreen}`, `${goGreen}ok  \ty\t0.01s\n`],
    ['go test -v', recorded('go/v-fail'), recorded('go/v-fail').replaceAll('FAIL', 'PASS')],
    ['jest', jestRed, jest('PASS ./a.test.js', '2 passed, 2 total')],
    ['mvn -q, which says nothing when it passes', recorded('maven/quiet'), ''],
    ['the dots of node:test', recorded('node-test/v22-dot'), '......\n'],
    [
      'a file that could not be loaded',
      recorded('node-test/spec-load'),
      recorded('node-test/spec-pass'),
    ],
    ['a module that could not be imported', recorded('pytest/load'), recorded('pytest/pass')],
    ['a hook that failed', recorded('mocha/hooks'), recorded('mocha/pass')],
    ['a hook of a file that failed', recorded('bats/load'), recorded('bats/pass')],
    [
      'subtests of unittest, named only when they fail',
      recorded('unittest/classes-verbose'),
      'test_one (test_classes.Good.test_one) ... ok\ntest_subtests (test_classes.Good.test_subtests) ... ok\n\n' +
        '----------------------------------------------------------------------\nRan 2 tests in 0.001s\n\nOK\n',
    ],
  ])('%s', (_name, base, now) => {
    expect(lost(base, now)).toEqual([]);
  });

  it('no run loses tests to itself', () => {
    const lossy = recordedNames().filter((name) => lost(recorded(name), recorded(name)).length > 0);
    expect(lossy).toEqual([]);
  });
});

describe('a test that is gone is seen', () => {
  it.each([
    ['by its name', recorded('cargo/mixed'), recorded('cargo/pass'), 'tests::compares'],
    [
      'by numbers where none is named',
      jestRed,
      jest('PASS ./a.test.js', '1 passed, 1 total'),
      'only 1',
    ],
    [
      'when it passed beside a file that could not be loaded',
      recorded('node-test/spec-pass-and-load'),
      recorded('node-test/spec-noise')
        .replaceAll('✖', '✔')
        .replace('pass 1', 'pass 2')
        .replace('fail 1', 'fail 0'),
      'adds two numbers',
    ],
    ['when no test is left', recorded('cargo/mixed'), 'fine\n', 'none can be recognised'],
    [
      'with a package of go that passed',
      `${goGreen}ok  \ty\t0.01s\n`,
      `${goGreen}ok  \tz\t0.01s\n`,
      '"y"',
    ],
  ])('%s', (_name, base, now, text) => {
    expect(lost(base, now).join('\n')).toContain(text);
  });
});

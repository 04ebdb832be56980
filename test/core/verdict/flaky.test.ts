import { describe, expect, it } from 'vitest';
import { readCoverage } from '../../../src/core/verdict/coverage.ts';
import { flakyChecks } from '../../../src/core/verdict/flaky.ts';
import { createLevel, createReport, type Check } from '../../../src/core/verdict/report.ts';

const rules = { rate: 0.2, runs: 5 };

function report(passed: boolean | null, overrides: Partial<Check> = {}) {
  const check: Check = {
    name: 'validation',
    passed,
    output: '',
    durationMs: 1,
    command: 'x',
    exitCode: 0,
    reason: null,
    tests: null,
    failingTests: [],
    signature: null,
    evidence: null,
    ...overrides,
  };
  return createReport({ L1: createLevel([check]) }, 'tree', 1);
}

const runs = (text: string) =>
  text.split('').map((letter) => report(letter === '?' ? null : letter === 'p'));

const cheated = (passed: boolean) => report(passed, { name: 'integrity', violations: [] });

describe('flaky checks', () => {
  it.each([
    ['four runs are too few', 'fpfp', []],
    ['one change in five runs is work that succeeded', 'ffffp', []],
    ['two changes in five runs are too many', 'ffpff', [[2, 5]]],
    ['two changes in ten runs are not', 'ffffffpfff', []],
    ['three in ten are', 'ffffffpffp', [[3, 10]]],
    ['a run that proves nothing is no run', 'f?p?f?p', []],
    ['never', 'pppppp', []],
  ])('%s: %s', (_name, text, expected) => {
    const found = flakyChecks(runs(text), rules);
    expect(found.map(({ flips, runs: count }) => [flips, count])).toEqual(expected);
  });

  it('counts the runs that were repeated', () => {
    const repeated = report(true, { earlierRuns: [false] });
    expect(flakyChecks([repeated, repeated, repeated], rules)).toEqual([
      { name: 'L1/validation', flips: 5, runs: 6 },
    ]);
  });

  it('names tests that flip while their check keeps failing', () => {
    const tests = { total: 2, passed: 1, failed: 1, skipped: 0 };
    const failing = (...names: readonly string[]) => report(false, { tests, failingTests: names });
    const history = [
      failing('a', 'b'),
      failing('a'),
      failing('a', 'b'),
      failing('a'),
      failing('a'),
    ];
    expect(flakyChecks(history, rules)).toEqual([{ name: 'L1/validation: b', flips: 3, runs: 5 }]);
  });

  it('does not take findings about the agent for runs', () => {
    expect(flakyChecks([true, false, true, false, true].map(cheated), rules)).toEqual([]);
  });
});

describe('coverage', () => {
  it.each([
    ['File      | % Stmts |\nAll files |   85.71 |      50 |', 85.71],
    ['Name  Stmts Miss Cover\nTOTAL    120      6    95%', 95],
    ['ok  \texample.org/a\t0.1s\tcoverage: 75.0% of statements', 75],
    ['75.00% coverage, 3/4 lines covered', 75],
    ['all good', null],
    ['TOTAL: many', null],
  ])('%j is %s', (output, expected) => {
    expect(readCoverage(output)).toBe(expected);
  });
});

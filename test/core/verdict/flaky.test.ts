import { describe, expect, it } from 'vitest';
import { readCoverage } from '../../../src/core/verdict/coverage.ts';
import { flakyChecks } from '../../../src/core/verdict/flaky.ts';
import { createLevel, createReport, type Check } from '../../../src/core/verdict/report.ts';

function report(passed: boolean | null, overrides: Partial<Check> = {}, tree = 'tree') {
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
  return createReport({ L1: createLevel([check]) }, tree, 1);
}

/** One run per letter; a number names the files it ran on. */
const runs = (text: string) =>
  text.split(' ').map((run) => report(run[0] === '?' ? null : run[0] === 'p', {}, run.slice(1)));

describe('flaky checks', () => {
  it.each([
    ['two results on the same files', 'f1 p1', [[1, 1]]],
    ['what an agent changed between two runs is no flip', 'f1 p2 f3 p4', []],
    ['the same files again, later', 'p1 f2 p3 f1', [[1, 1]]],
    ['a run that proves nothing is no run', 'p1 ?1', []],
    ['never', 'p1 p1 p1', []],
  ])('%s: %s', (_name, text, expected) => {
    const found = flakyChecks(runs(text));
    expect(found.map(({ passed, failed }) => [passed, failed])).toEqual(expected);
  });

  it('counts the runs that were repeated', () => {
    expect(flakyChecks([report(true, { earlierRuns: [false] })])).toEqual([
      { name: 'L1/validation', passed: 1, failed: 1 },
    ]);
  });

  it('names tests that flip while their check keeps failing', () => {
    const tests = { total: 2, passed: 1, failed: 1, skipped: 0 };
    const failing = (...names: readonly string[]) => report(false, { tests, failingTests: names });
    expect(flakyChecks([failing('a', 'b'), failing('a')])).toEqual([
      { name: 'L1/validation: b', passed: 1, failed: 1 },
    ]);
  });

  it('does not take a finding of integrity for a run', () => {
    const found = { name: 'integrity', violations: [] };
    expect(flakyChecks([report(true, found), report(false, found)])).toEqual([]);
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

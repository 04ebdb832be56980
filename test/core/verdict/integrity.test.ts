import { describe, expect, it } from 'vitest';
import { judgeIntegrity } from '../../../src/core/verdict/integrity.ts';
import {
  createLevel,
  createReport,
  type Check,
  type TestCounts,
} from '../../../src/core/verdict/report.ts';

function report(tests: TestCounts | null, passed = true) {
  const check: Check = {
    name: 'validation',
    passed,
    output: '',
    durationMs: 1,
    command: 'x',
    exitCode: 0,
    reason: null,
    tests,
    failingTests: [],
    signature: null,
    evidence: null,
  };
  return createReport({ L1: createLevel([check]) }, 'tree', 1);
}

const tests = (total: number): TestCounts => ({ total, passed: total, failed: 0, skipped: 0 });

describe('integrity: tests that ran on the base must still run', () => {
  it.each([
    ['fewer tests fail it', 'strict', tests(2), tests(1), false],
    ['no recognisable tests fail it', 'strict', tests(2), null, false],
    ['as many tests are fine', 'strict', tests(2), tests(2), 'nothing'],
    ['more tests are fine', 'strict', tests(2), tests(5), 'nothing'],
    ['no tests before, nothing to lose', 'strict', null, tests(1), 'nothing'],
    ['warn tells without failing', 'warn', tests(2), tests(1), null],
    ['off says nothing', 'off', tests(2), tests(1), 'nothing'],
  ] as const)('%s', (_name, mode, before, now, expected) => {
    const check = judgeIntegrity(mode, report(before), report(now));
    expect(check === null ? 'nothing' : check.passed).toBe(expected);
  });

  it('leaves a run alone that fails for another reason', () => {
    expect(judgeIntegrity('strict', report(tests(9)), report(tests(1), false))).toBeNull();
  });
});

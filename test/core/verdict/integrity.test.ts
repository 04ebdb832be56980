import { describe, expect, it } from 'vitest';
import {
  judgeIntegrity,
  withIntegrity,
  type IntegrityInput,
} from '../../../src/core/verdict/integrity.ts';
import {
  createLevel,
  createReport,
  type Check,
  type TestCounts,
} from '../../../src/core/verdict/report.ts';
import type { TestInventory } from '../../../src/core/verdict/test-inventory.ts';
import { violationKey } from '../../../src/core/verdict/violation.ts';

type Tests = Pick<Check, 'tests' | 'passed'> & { readonly inventory?: TestInventory };

function report(overrides: Partial<Tests> = {}) {
  const check: Check = {
    name: 'validation',
    passed: true,
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

const total = (count: number, skipped = 0): TestCounts => ({
  total: count,
  passed: count - skipped,
  failed: 0,
  skipped,
});
const named = (ran: readonly string[], skipped: readonly string[] = []) => ({
  tests: total(ran.length + skipped.length, skipped.length),
  inventory: { ran, skipped },
});

const input: IntegrityInput = {
  mode: 'strict',
  baseline: null,
  inventory: {},
  confirms: false,
  allowsTests: false,
  replaced: [],
  hidden: [],
  allow: [],
  approved: [],
  word: null,
};

function judged(
  before: Partial<Tests> | null,
  now: Partial<Tests>,
  overrides: Partial<IntegrityInput> = {},
): Check | null {
  const inventory = before?.inventory === undefined ? {} : { validation: before.inventory };
  const baseline = before === null ? null : report(before);
  return judgeIntegrity({ ...input, baseline, inventory, ...overrides }, report(now));
}

const kinds = (check: Check | null) =>
  (check?.violations ?? []).map(({ kind, subject }) => `${kind} ${subject}`);

describe('integrity: tests that ran on the base must still run', () => {
  it.each([
    ['fewer tests fail it', 'strict', total(2), total(1), false],
    ['more skipped tests fail it', 'strict', total(2), total(2, 1), false],
    ['no recognisable tests fail it', 'strict', total(2), null, false],
    ['as many tests are fine', 'strict', total(2), total(2), 'nothing'],
    ['more tests are fine', 'strict', total(2), total(5), 'nothing'],
    ['more tests of which some are skipped are fine', 'strict', total(2), total(5, 3), 'nothing'],
    ['no tests before, nothing to lose', 'strict', null, total(1), 'nothing'],
    ['warn tells without failing', 'warn', total(2), total(1), null],
    ['off says nothing', 'off', total(2), total(1), 'nothing'],
  ] as const)('%s', (_name, mode, before, now, expected) => {
    const check = judged({ tests: before }, { tests: now }, { mode });
    expect(check === null ? 'nothing' : check.passed).toBe(expected);
  });

  it('leaves a run alone that fails for another reason', () => {
    expect(judged({ tests: total(9) }, { tests: total(1), passed: false })).toBeNull();
  });

  it.each([
    ['a test that is gone', ['a', 'b'], ['a', 'c'], [], ['removed-test b']],
    ['a test that is skipped now', ['a', 'b'], ['a'], ['b'], ['skipped-test b']],
    ['one of several of the same name', ['a', 'a'], ['a', 'c'], [], ['removed-test a']],
    ['numbers in a name do not count', ['a in 12 ms'], ['a in 7 ms'], [], []],
    ['new tests are fine', ['a'], ['a', 'b'], ['c'], []],
  ] as const)('%s', (_name, before, ran, skipped, expected) => {
    expect(kinds(judged(named(before), named(ran, skipped)))).toEqual(expected);
  });

  it('does not take a test that was skipped before for one that ran', () => {
    expect(kinds(judged(named(['a'], ['b']), named(['a'], ['b'])))).toEqual([]);
    expect(kinds(judged(named(['b'], ['b']), named([], ['b', 'b'])))).toEqual(['skipped-test b']);
  });

  it.each([
    ['a suite around it', ['adds'], ['sum > adds']],
    ['another file', ['test_a.py::test_adds'], ['test_b.py::test_adds']],
    ['parameters', ['t.py::test_adds'], ['t.py::test_adds[1-2]', 't.py::test_adds[2-3]']],
    ['a table', ['adds'], ['adds 1 and 2', 'adds 3 and 4']],
    ['a suite in front of it, without a sign', ['adds'], ['sum adds']],
  ])('finds a test again that got %s', (_what, before, now) => {
    expect(kinds(judged(named(before), named(now)))).toEqual([]);
  });

  it('leaves a renamed test to the tests of the base, where these run once more', () => {
    const confirms = { confirms: true };
    const before = named(['adds', 'x']);
    expect(kinds(judged(before, named(['x', 'sums']), confirms))).toEqual([]);
    expect(kinds(judged(before, named(['x']), confirms))).toEqual(['removed-test adds']);
    expect(kinds(judged(before, named(['x', 'y'], ['adds']), confirms))).toEqual([
      'skipped-test adds',
    ]);
  });

  it('leaves tests that are gone with an allowed file to the tests of the base', () => {
    const [before, now] = [named(['adds', 'x']), named(['x'])];
    expect(judged(before, now, { confirms: true, allowsTests: true })).toBeNull();
    expect(kinds(judged(before, now, { allowsTests: true }))).toEqual(['removed-test adds']);
  });

  it('passes what is allowed by name, by a person, or by the word of the agent', () => {
    const [before, now] = [named(['adds', 'x']), named(['x', 'y'])];
    const found = judged(before, now);
    expect(kinds(found)).toEqual(['removed-test adds']);
    expect(judged(before, now, { allow: ['add*'] })).toBeNull();
    expect(judged(before, now, { allow: ['src/**'] })).not.toBeNull();
    const approved = (found?.violations ?? []).map(violationKey);
    expect(judged(before, now, { approved })).toMatchObject({
      passed: null,
      reason: expect.stringMatching(/^accepted by a person: .*adds/),
    });
    const spoken = judged(before, now, { word: 'the task removes it' });
    expect(spoken).toMatchObject({ passed: null, liftedByWord: true });
    expect(spoken?.output).toContain('the task removes it');
  });

  it('turns a green report red and leaves the names of tests out of it', () => {
    const executed = report(named(['a']));
    const whole = withIntegrity(executed, judged(named(['a', 'b']), named(['a'])));
    expect(whole.overall.passed).toBe(false);
    expect(whole.levels.L1?.checks.map(({ name, inventory }) => [name, inventory])).toEqual([
      ['validation', undefined],
      ['integrity', undefined],
    ]);
    expect(withIntegrity(executed, null).overall.passed).toBe(true);
  });
});

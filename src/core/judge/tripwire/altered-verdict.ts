import type { TestRun } from '../../verdict/test-output/test-run.ts';
import type { Alteration } from './alter.ts';

/** One check of a run whose comparisons were filled with other values. */
export type FilledCheck = {
  readonly name: string;
  readonly passed: boolean | null;
  /** Null: no runner was recognised. */
  readonly tests: TestRun | null;
};
export type FilledRun = readonly FilledCheck[];

/** What has to be run next to know more; `held`: every comparison fails that must. */
export type AlteredDoubt =
  | 'held'
  /** Some tests with other values passed, or may have. */
  | 'some'
  /** A check passed that has only other values to compare with. */
  | 'passed'
  /** Nothing can be said: it failed without naming a test. */
  | 'silent';

/** What the run with altered values says. `before` is the run with the tests as they are. */
export function doubtOf(alteration: Alteration, run: FilledRun, before: FilledRun): AlteredDoubt {
  const isTested = ({ name }: FilledCheck) => (countOf(before, name) ?? 0) > 0;
  const passed = run.filter((check) => check.passed === true);
  if (passed.length > 0 && (passed.length === run.length || passed.some(isTested))) return 'passed';
  const tested = before.filter(isTested);
  if (tested.length === 0 || alteration.names.length + alteration.unnamed === 0) return 'held';
  const failed = run.flatMap(({ tests }) => failedNames(tests));
  if (failed.length === 0) return 'silent';
  const isFailed = (name: string) => failed.some((each) => each.includes(name));
  return alteration.unnamed === 0 && alteration.names.every(isFailed) ? 'held' : 'some';
}

function countOf(run: FilledRun, name: string): number | null {
  return run.find((check) => check.name === name)?.tests?.total ?? null;
}

/**
 * Tests that fail when they compare two different values, and pass when what they compared before is compared with another
 * value: it equalled two different ones.
 */
export function equalToAll(altered: FilledRun, unequal: FilledRun): readonly string[] {
  return unequal.flatMap(({ name, tests }) => {
    const other = altered.find((check) => check.name === name);
    if (tests === null || other?.tests === null || other === undefined) return [];
    const known = new Set(failedNames(other.tests));
    const passed = new Set(passedNames(other.tests));
    const isWhole = ranTheSame(other.tests, tests);
    return failedNames(tests).filter((test) => !known.has(test) && (passed.has(test) || isWhole));
  });
}

/** What did not fail has passed, also where the runner does not name it. */
function ranTheSame(one: TestRun, two: TestRun): boolean {
  const isLoaded = one.errors.length === 0 && !one.incomplete && one.total > 0;
  return isLoaded && one.total === two.total && one.skipped === two.skipped;
}

/** Whether a test that has to fail is named among those that passed. */
export function namesPassed({ names }: Alteration, run: FilledRun): boolean {
  const passed = run.flatMap(({ tests }) => passedNames(tests));
  return names.some((name) => passed.some((each) => each.endsWith(name)));
}

export type Reference = {
  /** Beside the base's product: comparisons of one value with itself, and of two that differ. */
  readonly equal: FilledRun;
  readonly unequal: FilledRun;
};

/** Checks and tests that answer to their comparisons beside the base's product, and do not beside the loop's. */
export function overpoweredIn(
  alteration: Alteration,
  altered: FilledRun,
  { equal, unequal }: Reference,
): { readonly checks: readonly string[]; readonly tests: readonly string[] } {
  const stateOf = (run: FilledRun, name: string) => run.find((check) => check.name === name);
  const checks = altered
    .filter(({ name, passed }) => {
      const answers = stateOf(equal, name)?.passed === true;
      return passed === true && answers && stateOf(unequal, name)?.passed === false;
    })
    .map(({ name }) => name);
  const isOurs = (test: string) => alteration.names.some((each) => test.includes(each));
  const tests = altered.flatMap(({ name, tests: run }) => {
    const failed = failedNames(stateOf(unequal, name)?.tests ?? null);
    const passed = new Set(passedNames(run));
    const always = new Set(failedNames(stateOf(equal, name)?.tests ?? null));
    return failed.filter((test) => !always.has(test) && passed.has(test) && isOurs(test));
  });
  return { checks, tests };
}

function failedNames(run: TestRun | null): readonly string[] {
  if (run === null) return [];
  const listed = run.tests.filter(({ status }) => status === 'failed' || status === 'error');
  const names = [...listed, ...run.failures].map(({ name }) => name.toLowerCase());
  return [...new Set(names)];
}

function passedNames(run: TestRun | null): readonly string[] {
  const failed = new Set(failedNames(run));
  const passed = (run?.tests ?? []).filter(({ status }) => status === 'passed');
  return passed.map(({ name }) => name.toLowerCase()).filter((name) => !failed.has(name));
}

export function altersText(loaded: string, kind: 'check' | 'test', name: string): string {
  return kind === 'check'
    ? `the check \`${name}\` passed with every value that its tests ask for changed ${loaded}`
    : `the test ${JSON.stringify(name)} passed with another value to be equal to ${loaded}`;
}

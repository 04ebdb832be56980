import type { TestRun } from '../../verdict/test-output/test-run.ts';
import type { Alteration } from './alter.ts';

/** One check of a run whose comparisons were filled with other values. */
export type FilledCheck = {
  readonly name: string;
  readonly passed: boolean | null;
  /** Null: no runner was recognised. */
  readonly tests: TestRun | null;
  readonly output: string;
};
export type FilledRun = readonly FilledCheck[];

/** What answered wrongly: a whole check, a comparison of it that has no name, or a test. */
export type Odd = {
  readonly kind: 'check' | 'comparison' | 'test';
  readonly check: string;
  readonly test: string;
};

export function isSameOdd(one: Odd, two: Odd): boolean {
  return one.kind === two.kind && one.check === two.check && one.test === two.test;
}

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
export function equalToAll(
  { names, unnamed }: Alteration,
  altered: FilledRun,
  unequal: FilledRun,
): readonly Odd[] {
  const isOurs = (test: string) => unnamed > 0 || names.some((each) => test.includes(each));
  return unequal.flatMap(({ name: check, tests }): readonly Odd[] => {
    const other = altered.find((each) => each.name === check)?.tests ?? null;
    if (tests === null || other === null) return [];
    const isWhole = ranTheSame(other, tests);
    const failed = failedNames(tests);
    // A runner that names only files, or nothing.
    if (failed.length < tests.failed) {
      const isOdd = isWhole && tests.failed > other.failed;
      return isOdd ? [{ kind: 'comparison', check, test: '' }] : [];
    }
    const known = new Set(failedNames(other));
    const passed = new Set(passedNames(other));
    return failed
      .filter((test) => !known.has(test) && (passed.has(test) || isWhole) && isOurs(test))
      .map((test) => ({ kind: 'test', check, test }));
  });
}

/** What did not fail has passed, also where the runner does not name it. */
function ranTheSame(one: TestRun, two: TestRun): boolean {
  const isLoaded = one.errors.length === 0 && !one.incomplete && one.total > 0;
  return isLoaded && one.total === two.total && one.skipped === two.skipped;
}

/** Words of statements that went through with another value, and did not with two that differ. */
export function wentThrough(
  { words }: Alteration,
  altered: FilledRun,
  unequal: FilledRun,
): readonly string[] {
  return wordsIn(words, altered).filter((word) => !wordsIn(words, unequal).includes(word));
}

export function wordsIn(words: readonly string[], run: FilledRun): readonly string[] {
  return words.filter((word) => run.some(({ output }) => output.includes(word)));
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
): readonly Odd[] {
  const stateOf = (run: FilledRun, name: string) => run.find((check) => check.name === name);
  const checks = altered
    .filter(({ name, passed }) => {
      const answers = stateOf(equal, name)?.passed === true;
      return passed === true && answers && stateOf(unequal, name)?.passed === false;
    })
    .map(({ name: check }): Odd => ({ kind: 'check', check, test: '' }));
  const isOurs = (test: string) => alteration.names.some((each) => test.includes(each));
  const tests = altered.flatMap(({ name, tests: run }): readonly Odd[] => {
    const failed = failedNames(stateOf(unequal, name)?.tests ?? null);
    const passed = new Set(passedNames(run));
    const always = new Set(failedNames(stateOf(equal, name)?.tests ?? null));
    return failed
      .filter((test) => !always.has(test) && passed.has(test) && isOurs(test))
      .map((test) => ({ kind: 'test', check: name, test }));
  });
  return [...checks, ...tests];
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

/** A sentence. `command` is what the check runs, `loaded` says after what. */
export function oddText({ kind, test }: Odd, command: string, loaded: string): string {
  switch (kind) {
    case 'check':
      return `the check \`${command}\` passed with every value that its tests ask for changed ${loaded}`;
    case 'comparison':
      return `a comparison in the check \`${command}\` passed with another value to be equal to ${loaded}`;
    case 'test':
      return `the test ${JSON.stringify(test)} passed with another value to be equal to ${loaded}`;
  }
}

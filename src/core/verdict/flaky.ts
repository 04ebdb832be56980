import { allChecks, type VerificationReport } from './report.ts';

export type FlakyRules = {
  /** Share of the runs with a flip above which something is flaky. */
  readonly rate: number;
  /** Runs before anything is called so. */
  readonly runs: number;
};

export type Flaky = {
  /** A check (`L1/validation`), or a test of it (`L1/validation: name`). */
  readonly name: string;
  readonly flips: number;
  readonly runs: number;
};

/**
 * Checks and tests whose result flips too often over the verifications of a loop, oldest first. Runs that were repeated
 * by `retries-on-fail` count as runs. A mark for people and prompts; it never changes a verdict.
 */
export function flakyChecks(
  reports: readonly VerificationReport[],
  rules: FlakyRules,
): readonly Flaky[] {
  const results = new Map<string, boolean[]>();
  const add = (name: string, ...passed: readonly (boolean | null)[]) => {
    const known = results.get(name) ?? [];
    results.set(name, [...known, ...passed.filter((each) => each !== null)]);
  };
  const everFailed = failedTests(reports);
  for (const report of reports) {
    for (const { level, check } of allChecks(report)) {
      // A finding about the agent's work is no run of anything.
      if (check.violations !== undefined) continue;
      const name = `${level}/${check.name}`;
      add(name, ...(check.earlierRuns ?? []), check.passed);
      if (check.tests === null) continue;
      const failing = new Set(check.failingTests);
      for (const test of everFailed.get(name) ?? []) add(`${name}: ${test}`, !failing.has(test));
    }
  }
  return [...results].flatMap(([name, runs]) => {
    const flips = runs.filter((passed, index) => index > 0 && passed !== runs[index - 1]).length;
    const isFlaky = runs.length >= rules.runs && flips / runs.length > rules.rate;
    return isFlaky ? [{ name, flips, runs: runs.length }] : [];
  });
}

/** Tests that failed at least once, by check: no other can flip. */
function failedTests(reports: readonly VerificationReport[]): Map<string, Set<string>> {
  const failed = new Map<string, Set<string>>();
  for (const { level, check } of reports.flatMap(allChecks)) {
    const name = `${level}/${check.name}`;
    failed.set(name, new Set([...(failed.get(name) ?? []), ...check.failingTests]));
  }
  return failed;
}

/** `L1/validation flipped 3 times in 6 runs`. */
export function flakyText({ name, flips, runs }: Flaky): string {
  return `${name} flipped ${flips} times in ${runs} runs`;
}

import { allChecks, type VerificationReport } from './report.ts';

export type Flaky = {
  /** A check (`L1/validation`), or a test of it (`L1/validation: name`). */
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
};

/**
 * Checks and tests with different results on the same files. What differs between two iterations is the agent's doing and no
 * flip. Runs that `retries-on-fail` repeated count. A mark for people and prompts; it never changes a verdict.
 */
export function flakyChecks(reports: readonly VerificationReport[]): readonly Flaky[] {
  const found = new Map<string, Flaky>();
  for (const sameFiles of Map.groupBy(reports, ({ tree }) => tree).values()) {
    for (const [name, results] of resultsOf(sameFiles)) {
      const passed = results.filter(Boolean).length;
      const failed = results.length - passed;
      if (passed > 0 && failed > 0) found.set(name, { name, passed, failed });
    }
  }
  return [...found.values()];
}

function resultsOf(reports: readonly VerificationReport[]): ReadonlyMap<string, boolean[]> {
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
  return results;
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

/** `L1/validation passed 1 of 3 times on the same files`. */
export function flakyText({ name, passed, failed }: Flaky): string {
  return `${name} passed ${passed} of ${passed + failed} times on the same files`;
}

export type TestStatus = 'passed' | 'failed' | 'skipped' | 'error';

export type TestDetail = {
  /** The runner's own full name where it prints one, else the titles joined by ` > `. */
  readonly name: string;
  /** `error`: the test did not fail by itself, its setup or teardown did. */
  readonly status: TestStatus;
  readonly durationMs: number | null;
  readonly error: string | null;
};

export type TestFailure = { readonly name: string; readonly message: string };

/** What the output of a check says about its tests. `total` is always passed + failed + skipped. */
export type TestRun = {
  /** Null when no runner was recognised; several names joined by `+` when several ran. */
  readonly framework: string | null;
  readonly total: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** How many of these are packages: plain `go test` does not name the tests that passed. Absent where all are tests. */
  readonly packages?: number;
  /** True only when a test passed, none failed, every suite loaded and the output is whole; null is "cannot tell". */
  readonly green: boolean | null;
  /** No test was found. Never "all passed". */
  readonly unknown: boolean;
  /** The output breaks off before its runner said how it went. */
  readonly incomplete: boolean;
  /** The runner shows only what fails: a later run that passes shows other names and numbers, or none. */
  readonly showsOnlyFailures?: true;
  /** What kept tests from running or counting: suites that could not load, unhandled errors. */
  readonly errors: readonly string[];
  readonly tests: readonly TestDetail[];
  readonly failures: readonly TestFailure[];
};

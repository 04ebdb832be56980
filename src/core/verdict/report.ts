import { countChars, headChars, tailChars } from '../text/code-points.ts';

import { errorLineIndex } from './error-line.ts';
import type { FailingTest } from './failing-test.ts';
import type { TestInventory } from './test-inventory.ts';
import type { Violation } from './violation.ts';

/** Tests as a runner counted them. total = passed + failed + skipped. */
export type TestCounts = {
  readonly total: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** How many of these are packages whose tests the runner does not name; absent where all are tests. */
  readonly packages?: number;
};

/** The counts alone, as machine interfaces show them. */
export function plainCounts({ total, passed, failed, skipped }: TestCounts): TestCounts {
  return { total, passed, failed, skipped };
}

export const levelNames = ['L0', 'L1', 'L2', 'L3'] as const;
export type LevelName = (typeof levelNames)[number];

/** One executed check. `passed` is null when it was skipped or proves nothing. */
export type Check = {
  readonly name: string;
  readonly passed: boolean | null;
  /** Bounded text for people and prompts; the whole output is in `evidence`. */
  readonly output: string;
  readonly durationMs: number;
  readonly command: string | null;
  readonly exitCode: number | null;
  /** Why it failed or was skipped, in one line; null on a plain pass. */
  readonly reason: string | null;
  readonly tests: TestCounts | null;
  /** Names of failing tests, bounded. */
  readonly failingTests: readonly string[];
  /** The first of them with their errors; absent where no runner told any. */
  readonly failures?: readonly FailingTest[];
  readonly signature: { readonly exact: string; readonly simhash: string } | null;
  /** Path of the whole output, relative to the folder of its iteration; null when there is none. */
  readonly evidence: string | null;
  /** SHA-256 of the whole output; absent where nothing was printed to a file. */
  readonly outputHash?: string;
  /** Results of the runs before this one, when a failing check was run again. */
  readonly earlierRuns?: readonly (boolean | null)[];
  /** Coverage in percent as the output says it. */
  readonly coverage?: number;
  /** It fails because its runner found no test to run. */
  readonly noTests?: true;
  /** How many tests a later run that passes must show at least; absent when that is as many as ran. */
  readonly sureTests?: number;
  /** Every test by name; only in the verdict on a base. */
  readonly inventory?: TestInventory;
  /** What the check `integrity` found. */
  readonly violations?: readonly Violation[];
  /** Only the agent's own word lifts what it found. */
  readonly liftedByWord?: true;
};

export type Level = { readonly passed: boolean | null; readonly checks: readonly Check[] };

/** What the engine executed to judge one tree. Stored with the iteration; a pass here is the only way to `complete`. */
export type VerificationReport = {
  readonly overall: { readonly passed: boolean };
  readonly levels: Readonly<Partial<Record<LevelName, Level>>>;
  /** Snapshot the checks ran on. */
  readonly tree: string;
  readonly durationMs: number;
  /** Commit the checks can be repeated at; absent when there is none. */
  readonly commit?: string;
  /** Where they ran. */
  readonly environment?: EnvironmentRecord;
};

/** What a result may depend on beside the files; the fingerprint is a hash of the rest and of the values. */
export type EnvironmentRecord = {
  readonly fingerprint: string;
  readonly platform: string;
  readonly version: string;
  readonly cleanRoom: boolean;
  /** Names of the variables checks were given. */
  readonly variables: readonly string[];
};

/** Three-valued and: a failure fails, otherwise one real pass is needed, otherwise nothing is known. */
export function combine(results: readonly (boolean | null)[]): boolean | null {
  if (results.includes(false)) return false;
  return results.includes(true) ? true : null;
}

export function createReport(
  levels: VerificationReport['levels'],
  tree: string,
  durationMs: number,
): VerificationReport {
  return { overall: { passed: verdictOf(levels) === true }, levels, tree, durationMs };
}

/** Every level can fail a report; only executed checks (L1, L2) can make it pass. */
export function verdictOf({ L0, L1, L2, L3 }: VerificationReport['levels']): boolean | null {
  const all = [L0, L1, L2, L3].flatMap((level) => (level === undefined ? [] : [level.passed]));
  if (combine(all) === false) return false;
  return combine([L1?.passed ?? null, L2?.passed ?? null]);
}

export function createLevel(checks: readonly Check[]): Level {
  return { passed: combine(checks.map((check) => check.passed)), checks };
}

export function allChecks(
  report: VerificationReport,
): readonly { readonly level: LevelName; readonly check: Check }[] {
  return levelNames.flatMap((level) =>
    (report.levels[level]?.checks ?? []).map((check) => ({ level, check })),
  );
}

/** Tests over all checks; null when no check had a recognised runner. */
export function reportTests(report: VerificationReport): TestCounts | null {
  let sum: TestCounts | null = null;
  for (const { check } of allChecks(report)) {
    if (check.tests === null) continue;
    const base: TestCounts = sum ?? { total: 0, passed: 0, failed: 0, skipped: 0 };
    sum = {
      total: base.total + check.tests.total,
      passed: base.passed + check.tests.passed,
      failed: base.failed + check.tests.failed,
      skipped: base.skipped + check.tests.skipped,
      ...packagesOf((base.packages ?? 0) + (check.tests.packages ?? 0)),
    };
  }
  return sum;
}

export function packagesOf(packages: number): Pick<TestCounts, 'packages'> {
  return packages === 0 ? {} : { packages };
}

const keptOutput = 4000;

/**
 * Bounded output with both ends: the first errors stand at the start, the summary at the end. The line that says best
 * what is wrong is kept as well, where it stands between them.
 */
export function bothEnds(output: string): string {
  if (countChars(output) <= keptOutput) return output;
  const half = keptOutput / 2;
  const [head, tail] = [headChars(output, half), tailChars(output, half)];
  const middle = errorBetween(output.slice(head.length, output.length - tail.length));
  if (middle === null) return `${head}\n[...]\n${tail}`;
  return `${headChars(output, half / 2)}\n[...]\n${headChars(middle, half / 2)}\n[...]\n${tail}`;
}

function errorBetween(text: string): string | null {
  const lines = text.split('\n');
  const index = errorLineIndex(lines);
  return index === -1 ? null : lines.slice(index, index + 40).join('\n');
}

import { packagesOf } from '../report.ts';
import { type Draft, finishedTests, maxDetails } from './draft.ts';
import { findJunitReports, type JunitReport } from './junit-xml.ts';
import { forEachLine } from './lines.ts';
import { createLog, type Log } from './log.ts';
import { junitName, runners, runnersOf } from './registry.ts';
import { isRed } from './sift.ts';
import type { TestRun } from './test-run.ts';

export type { TestRun } from './test-run.ts';

/**
 * Reads what test runners printed, or a report in JUnit's XML, TAP or the JSON of `go test`. Several runs are added
 * up. Text that a test prints and that looks like another runner's summary does not count; where the output leaves a
 * doubt, the verdict is lowered, never raised. With `only`, a name of the registry, no other runner is looked for. Total and linear; escapes
 * may still be in the text and should be, because they tell redrawn lines apart.
 */
export function parseTests(output: string, only: string | null = null): TestRun {
  const reports = only === null || only === junitName ? findJunitReports(output) : [];
  const chosen = only === null ? runners : runnersOf(only);
  const log = createLog(chosen);
  readOutsideOf(reports, output, log);
  const { runs, isDoubtful } = log.end();
  const drafts = new Set(reports.map(({ draft }) => draft));
  const broken = [...drafts].filter(({ incomplete }) => incomplete);
  const kept = [...broken, ...runs.filter((run) => drafts.has(run))];
  const others = runs.filter((run) => !drafts.has(run));
  return combine(withoutTwice(kept, others), isDoubtful);
}

/** Reads the text without its whole reports, whose texts would look like output; of one that breaks off nothing is lost. */
function readOutsideOf(reports: readonly JunitReport[], output: string, log: Log): void {
  let from = 0;
  for (const { draft, start, end } of reports) {
    if (draft.incomplete) continue;
    forEachLine(output.slice(from, start), log.line);
    log.report(draft);
    from = end;
  }
  forEachLine(output.slice(from), log.line);
}

/** A report beside the output of the very run it reports is the same run: the one that says more is kept. */
function withoutTwice(reports: readonly Draft[], runs: readonly Draft[]): readonly Draft[] {
  const isSame = (['passed', 'failed', 'skipped'] as const).every(
    (key) => sumOf(reports, key) === sumOf(runs, key),
  );
  const isWhole = reports.every(({ incomplete }) => !incomplete);
  if (!isSame || !isWhole || runs.length === 0 || reports.length === 0)
    return [...reports, ...runs];
  return detailsOf(reports) > detailsOf(runs) ? reports : runs;
}

function detailsOf(drafts: readonly Draft[]): number {
  return drafts.reduce((sum, draft) => sum + draft.failures.length + draft.errors.length, 0);
}

function sumOf(runs: readonly Draft[], key: 'passed' | 'failed' | 'skipped' | 'packages'): number {
  return runs.reduce((sum, run) => sum + run[key], 0);
}

function combine(runs: readonly Draft[], isDoubtful: boolean): TestRun {
  const [passed, failed, skipped] = [
    sumOf(runs, 'passed'),
    sumOf(runs, 'failed'),
    sumOf(runs, 'skipped'),
  ];
  const packages = sumOf(runs, 'packages');
  const errors = runs.flatMap((run) => run.errors);
  const incomplete = runs.some((run) => run.incomplete);
  return {
    framework: runs.length === 0 ? null : [...new Set(runs.map((run) => run.framework))].join('+'),
    total: passed + failed + skipped,
    passed,
    failed,
    skipped,
    ...packagesOf(packages),
    green: runs.some(isRed) ? false : incomplete || isDoubtful || passed === 0 ? null : true,
    unknown: passed + failed + skipped === 0,
    incomplete,
    ...(runs.some((run) => run.showsOnlyFailures === true) ? { showsOnlyFailures: true } : {}),
    errors,
    tests: runs.flatMap(finishedTests).slice(0, maxDetails),
    failures: runs.flatMap((run) => run.failures).slice(0, maxDetails),
  };
}

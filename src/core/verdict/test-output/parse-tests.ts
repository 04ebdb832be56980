import { type Draft, finishedTests, maxDetails } from './draft.ts';
import { forEachLine } from './lines.ts';
import { runners } from './registry.ts';
import type { TestRun } from './test-run.ts';

export type { TestRun } from './test-run.ts';

/**
 * Reads what test runners printed. Several runs are added up. Text that a test prints and that looks like another
 * runner's summary does not count; where the output leaves a doubt, the verdict is lowered, never raised.
 * Total and linear; escapes may still be in the text and should be, because they tell redrawn lines apart.
 */
export function parseTests(output: string): TestRun {
  const readers = runners.map((runner) => runner.read());
  let number = 0;
  forEachLine(output, (text) => {
    number++;
    for (const reader of readers) reader.line(text, number);
  });
  return combine(realRuns(readers.flatMap((reader) => reader.end())));
}

/** Leaves out bare summaries beside a run that shows more, and runs printed inside another runner's run. */
function realRuns(drafts: readonly Draft[]): Draft[] {
  const anchored = drafts.filter((draft) => draft.anchored);
  const candidates = anchored.length > 0 ? anchored : [...drafts];
  candidates.sort((a, b) => a.first - b.first || b.last - a.last);
  /** How far down the runs seen so far reach, for each runner. */
  const reach = new Map<string, number>();
  return candidates.filter((draft) => {
    const isInside = [...reach].some(
      ([name, last]) => name !== draft.framework && draft.last <= last,
    );
    reach.set(draft.framework, Math.max(reach.get(draft.framework) ?? 0, draft.last));
    return !isInside;
  });
}

function combine(runs: readonly Draft[]): TestRun {
  const sum = (count: (run: Draft) => number) => runs.reduce((total, run) => total + count(run), 0);
  const [passed, failed, skipped] = [
    sum((run) => run.passed),
    sum((run) => run.failed),
    sum((run) => run.skipped),
  ];
  const errors = runs.flatMap((run) => run.errors);
  const incomplete = runs.some((run) => run.incomplete);
  const isRed = failed > 0 || errors.length > 0;
  return {
    framework: runs.length === 0 ? null : [...new Set(runs.map((run) => run.framework))].join('+'),
    total: passed + failed + skipped,
    passed,
    failed,
    skipped,
    green: isRed ? false : incomplete || passed === 0 ? null : true,
    unknown: passed + failed + skipped === 0,
    incomplete,
    errors,
    tests: runs.flatMap(finishedTests).slice(0, maxDetails),
    failures: runs.flatMap((run) => run.failures).slice(0, maxDetails),
  };
}

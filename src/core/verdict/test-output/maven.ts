import { addError, addFailure, createDraft, type Draft, setCounts } from './draft.ts';
import type { Reader, Runner } from './runner.ts';

/** Maven Surefire and Failsafe 2 and 3: one run for each module. */
export const maven: Runner = { name: 'maven', starts: '[TN', read };

type Counts = { readonly run: number; readonly failed: number; readonly skipped: number };

type Run = {
  readonly draft: Draft;
  /** What the lines of the classes add up to. */
  run: number;
  failed: number;
  skipped: number;
  /** Below `Results:` the next counts are those of the module. */
  isResults: boolean;
  isClosed: boolean;
  readonly isQuiet: boolean;
  /** The test that failed on the line before: its error stands below. */
  failing: string | null;
};

function read(): Reader {
  const runs: Run[] = [];
  return {
    line: (text, number) => {
      const { level, rest } = withoutLevel(text);
      if (rest === 'T E S T S' || rest === ' T E S T S') {
        runs.push(createRun(number));
        return;
      }
      if (level === 'ERROR' && rest.startsWith('COMPILATION ERROR')) {
        const run = createRun(number);
        run.isClosed = true;
        addError(run.draft, 'the tests could not be compiled');
        runs.push(run);
        return;
      }
      if (
        /^No tests to run\.$|^Tests are skipped\.$|^Failed to execute goal .* No tests (?:were|matching)/.test(
          rest,
        )
      ) {
        runs.push({ ...createRun(number), isClosed: true });
        return;
      }
      const run = runs.at(-1);
      const isOpen = run !== undefined && !run.isClosed;
      // With -q there are only the classes that fail, and the counts.
      if (!isOpen && level === 'ERROR' && rest.includes('Time elapsed: ') && pattern.test(rest)) {
        const quiet = { ...createRun(number), isQuiet: true };
        quiet.draft.showsOnlyFailures = true;
        runs.push(quiet);
        return readLine(quiet, rest, number);
      }
      if (!isOpen) return;
      if (run.isQuiet && level !== '') run.isResults = !rest.includes('Time elapsed: ');
      readLine(run, rest, number);
    },
    isIdle: () => runs.at(-1)?.isClosed !== false,
    end: () => runs.map(finish),
  };
}

function createRun(line: number): Run {
  const draft = createDraft('maven', line);
  draft.anchored = true;
  return {
    draft,
    run: 0,
    failed: 0,
    skipped: 0,
    isResults: false,
    isClosed: false,
    isQuiet: false,
    failing: null,
  };
}

function withoutLevel(text: string): { readonly level: string; readonly rest: string } {
  if (text.charCodeAt(0) !== 0x5b) return { level: '', rest: text };
  const match = /^\[(INFO|ERROR|WARNING)\] ?(.*)$/.exec(text);
  return match === null
    ? { level: '', rest: text }
    : { level: match[1] ?? '', rest: match[2] ?? '' };
}

function readLine(run: Run, rest: string, number: number): void {
  if (run.failing !== null) {
    addFailure(run.draft, run.failing, rest);
    run.failing = null;
  }
  if (/^Results ?:$/.test(rest)) {
    run.isResults = true;
    return;
  }
  if (rest.startsWith('Tests run: ')) return readCounts(run, rest, number);
  if (rest.includes('<<< ')) readFailing(run, rest);
  if (/^(?:ExecutionException )?The forked VM terminated/.test(rest)) addError(run.draft, rest);
}

const pattern =
  /^Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)(?:, Flakes: \d+)?(,? Time elapsed: .*)?$/;

function readCounts(run: Run, rest: string, number: number): void {
  const match = pattern.exec(rest);
  if (match === null) return;
  const counts: Counts = {
    run: Number(match[1]),
    failed: Number(match[2]) + Number(match[3]),
    skipped: Number(match[4]),
  };
  run.draft.last = number;
  const isClass = match[5] !== undefined;
  if (isClass && !run.isResults) {
    run.run += counts.run;
    run.failed += counts.failed;
    run.skipped += counts.skipped;
    return;
  }
  if (isClass || !run.isResults) return;
  run.isClosed = true;
  const passed = counts.run - counts.failed - counts.skipped;
  setCounts(run.draft, { passed, failed: counts.failed, skipped: counts.skipped }, number);
  // A test that fails and passes when run again counts once here, and twice above.
  run.draft.incomplete = counts.failed === 0 && run.failed > 0 && !rest.includes('Flakes: ');
}

/** `compares(sample.MixedTest)  Time elapsed: 0.008 s  <<< FAILURE!`, the error on the next line */
function readFailing(run: Run, rest: string): void {
  const match = /^(\S.*?)(?: --)? +Time elapsed: .* +<<< (?:FAILURE|ERROR)!/.exec(rest);
  const name = match?.[1] ?? '';
  if (match === null || name.startsWith('Tests run:')) return;
  run.failing = name;
  addFailure(run.draft, name, '');
}

function finish(run: Run): Draft {
  const { draft } = run;
  if (run.isClosed) return draft;
  draft.incomplete = true;
  const passed = run.run - run.failed - run.skipped;
  setCounts(draft, { passed, failed: run.failed, skipped: run.skipped }, draft.last);
  return draft;
}

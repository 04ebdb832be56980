import { addReport, addTest, createDraft, type Draft, setCounts, takeWorse } from './draft.ts';
import type { Reader, Runner } from './runner.ts';
import type { TestStatus } from './test-run.ts';

/** minitest 4 and 5 with Rails' reporter, and test-unit. */
export const minitest: Runner = { name: 'minitest', starts: '#LF0123456789', read };

type Run = {
  readonly draft: Draft;
  /** `Finished in …` was read: the next counts are the last word. */
  isFinishing: boolean;
  /** A failure whose name or message is being read. */
  failure: { name: string | null; readonly lines: string[] } | null;
};

function read(): Reader {
  const finished: Draft[] = [];
  let run: Run | null = null;
  return {
    line: (text, number) => {
      if (isHeader(text)) {
        if (run !== null && run.draft.anchored) finished.push(cutOff(run));
        run = createRun(number, true);
        return;
      }
      if (text.startsWith('Finished in ')) {
        run ??= createRun(number, false);
        run.isFinishing = true;
        return;
      }
      // The counts of a run that a test seemed to have ended.
      if (run === null && finished.length > 0 && text.includes(' assertions, '))
        run = { ...createRun(number, false), isFinishing: true };
      if (run === null) return;
      if (run.isFinishing && close(run, text, number)) {
        const before = finished.at(-1);
        if (run.draft.anchored || before === undefined || !before.anchored)
          finished.push(run.draft);
        else takeWorse(before, run.draft);
        run = null;
        return;
      }
      readDetail(run, text, number);
    },
    isIdle: () => run === null,
    end: () => (run?.draft.anchored === true ? [...finished, cutOff(run)] : finished),
  };
}

function isHeader(text: string): boolean {
  if (text.startsWith('# Running'))
    return /^# Running(?: tests(?: with run options.*)?)?:$/.test(text);
  return text.startsWith('Loaded suite ');
}

function createRun(line: number, isAnchored: boolean): Run {
  const draft = createDraft('minitest', line);
  draft.anchored = isAnchored;
  return { draft, isFinishing: false, failure: null };
}

/** `5 runs, 3 assertions, 1 failures, 1 errors, 1 skips`, of test-unit with pendings, omissions and notifications */
function close(run: Run, text: string, number: number): boolean {
  if (!text.includes(' assertions, ')) return false;
  const match =
    /^(\d+) (?:runs|tests), \d+ assertions, (\d+) failures, (\d+) errors(?:, (\d+) skips)?(?:, (\d+) pendings, (\d+) omissions, \d+ notifications)?$/.exec(
      text.trimEnd(),
    );
  if (match === null) return false;
  endFailure(run);
  const [tests = 0, failures = 0, errors = 0, skips = 0, pendings = 0, omissions = 0] = match
    .slice(1)
    .map((part) => Number(part ?? 0));
  const failed = failures + errors;
  const skipped = skips + pendings + omissions;
  setCounts(run.draft, { passed: tests - failed - skipped, failed, skipped }, number);
  run.draft.incomplete = failed === 0 && run.draft.failures.length > 0;
  return true;
}

const marks: Readonly<Record<string, TestStatus>> = {
  '.': 'passed',
  F: 'failed',
  E: 'failed',
  S: 'skipped',
};

function readDetail(run: Run, text: string, number: number): void {
  const verbose = text.includes(' s = ')
    ? /^(\S.*?) = (?:(\d+\.\d+) s )= ([.FES])$/.exec(text)
    : null;
  if (verbose !== null) {
    endFailure(run);
    addTest(
      run.draft,
      verbose[1] ?? '',
      marks[verbose[3] ?? ''] ?? 'failed',
      Number(verbose[2]) * 1000,
    );
    run.draft.last = number;
    return;
  }
  // minitest numbers its failures and names them below; test-unit names them at once.
  if (/^(?: {2}\d+\) )?(?:Failure|Error):$/.test(text)) {
    endFailure(run);
    run.failure = { name: null, lines: [] };
    return;
  }
  const named = /^(?:Failure|Error): (\w+\([\w:]+\))(?:: (.*))?$/.exec(text);
  if (named !== null) {
    endFailure(run);
    run.failure = { name: named[1] ?? '', lines: named[2] === undefined ? [] : [named[2]] };
    return;
  }
  if (run.failure !== null) readFailure(run, run.failure, text);
}

function readFailure(run: Run, failure: NonNullable<Run['failure']>, text: string): void {
  if (failure.name === null) {
    const name = /^(\S.*?)(?: \[.*\])?:$/.exec(text)?.[1];
    if (name === undefined) run.failure = null;
    else failure.name = name;
    return;
  }
  if (/^$|^={60,}$|^ {2}\d+\) /.test(text)) endFailure(run);
  else if (
    failure.lines.length < 30 &&
    !/^ {4}\S+:\d+:in |^\S+:\d+:in |^ *(?:=>)? *\d+: /.test(text)
  )
    failure.lines.push(text);
}

function endFailure(run: Run): void {
  const { failure } = run;
  run.failure = null;
  if (failure?.name != null) addReport(run.draft, failure.name, failure.lines.join('\n'));
}

function cutOff(run: Run): Draft {
  endFailure(run);
  const { draft } = run;
  draft.incomplete = true;
  draft.passed = draft.tests.filter(({ status }) => status === 'passed').length;
  draft.skipped = draft.tests.filter(({ status }) => status === 'skipped').length;
  draft.failed = draft.failures.length;
  return draft;
}

import { addError, addFailure, addTest, createDraft, type Draft, setCounts } from './draft.ts';
import type { Reader, Runner } from './runner.ts';
import type { TestStatus } from './test-run.ts';

/** unittest of Python 2.7 to 3.14, and what prints like it: nose2, nose, Django's runner. */
export const unittest: Runner = { name: 'unittest', read };

type Run = {
  readonly draft: Draft;
  /** Marks of progress, `.F.sE`: one for each test and for each class that failed or was skipped as a whole. */
  marks: string;
  marksLine: number;
  /** Errors of classes and modules, which are not among the tests that ran. */
  outside: number;
  /** Skips of classes, likewise; known only from verbose lines or marks. */
  skippedOutside: number;
  /** Tests that failed, each once, however many of its subtests did. */
  readonly failing: Set<string>;
  report: { readonly name: string; lines: string[]; isBody: boolean } | null;
  title: string | null;
  /** Results that verbose lines told. */
  results: number;
  /** The test whose verbose line has no result yet. */
  pending: string | null;
  /** The end of a run that stands before, which this run's own test may have printed. */
  suspect: Run | null;
};

type State = {
  readonly finished: Draft[];
  run: Run | null;
  /** The run closed last, while its end may still turn out to be a test's own text. */
  doubted: Run | null;
  previous: string;
  /** `Ran 7 tests in 0.009s`, until `OK` or `FAILED` follows. */
  ran: { readonly tests: number; readonly line: number } | null;
};

function read(): Reader {
  const state: State = { finished: [], run: null, doubted: null, previous: '', ran: null };
  return {
    line: (text, number) => {
      readLine(state, text, number);
      if (text !== '') state.previous = text;
    },
    end: () => {
      const { run, ran } = state;
      const isRun = run !== null && (run.draft.anchored || ran !== null || run.suspect !== null);
      if (isRun) state.finished.push(cutOff(run));
      return state.finished;
    },
  };
}

function createRun(line: number): Run {
  return {
    draft: createDraft('unittest', line),
    marks: '',
    marksLine: -10,
    outside: 0,
    skippedOutside: 0,
    failing: new Set(),
    report: null,
    title: null,
    results: 0,
    pending: null,
    suspect: null,
  };
}

function readLine(state: State, text: string, number: number): void {
  // The dots above were those of RSpec, ExUnit, minitest or jasmine.
  if (text.startsWith('Finished in ') && state.run?.draft.anchored === false) {
    if (state.run.suspect !== null) state.finished.push(state.run.suspect.draft);
    state.run = null;
  }
  const { run, ran } = state;
  if (text.startsWith('Ran ') && isRule(state.previous, '-')) {
    const match = /^Ran (\d+) tests? in \d+(?:\.\d+)?s$/.exec(text);
    if (match !== null) {
      const ending = (state.run ??= createRun(number));
      endReport(ending);
      state.ran = { tests: Number(match[1]), line: number };
      return;
    }
  }
  if (ran !== null && run !== null && !isInsideTest(run, ran.tests)) {
    const end = /^(OK|FAILED|NO TESTS RAN)(?: \(([a-z =,\d]*)\))?$/.exec(text);
    if (end !== null) return close(state, run, ran.tests, end, number);
    if (number > ran.line + 20) state.ran = null;
  }
  if (run?.report != null && readReport(run, run.report, text)) return;
  readDetail(state, text, number);
}

/** A line of seventy dashes or equals signs. */
function isRule(text: string, sign: string): boolean {
  return text.length === 70 && text[0] === sign && text === sign.repeat(70);
}

function close(
  state: State,
  run: Run,
  tests: number,
  [, word, list = '']: RegExpExecArray,
  number: number,
): void {
  const counts = new Map<string, number>();
  for (const part of list.split(', ')) {
    const [key = '', value = ''] = part.split('=');
    counts.set(key, Number(value) || 0);
  }
  const of = (key: string) => counts.get(key) ?? 0;
  const unexpected = word === 'FAILED' ? of('unexpected successes') : 0;
  const failed = of('failures') + of('errors') + unexpected;
  const skipped = of('skipped') + of('expected failures');
  const { draft } = run;
  setCounts(
    draft,
    { passed: passedOf(run, tests, failed, skipped, unexpected), failed, skipped },
    number,
  );
  if (word === 'FAILED' && failed === 0) addError(draft, 'the run failed outside of its tests');
  draft.isSolid = true;
  draft.anchored ||= run.marks !== '';
  draft.incomplete = failed === 0 && run.failing.size > 0;
  if (run.suspect !== null && isOtherRun(run, run.suspect, tests))
    state.finished.push(run.suspect.draft);
  state.finished.push(draft);
  state.run = null;
  state.ran = null;
  state.doubted = failed === 0 && run.marks.length + run.results < tests ? run : null;
}

/** A summary while a test runs is its own text, unless only the result of that test was not made out. */
function isInsideTest({ pending, results }: Run, tests: number): boolean {
  return pending !== null && tests !== results + 1;
}

/** All tests of this run have their marks, so those before belong to a run before it. */
function isOtherRun(run: Run, { marks }: Run, tests: number): boolean {
  return marks !== '' && run.marks.length === tests;
}

/** The run a result belongs to. Where it follows an end that told of more tests than were seen, that end is doubted. */
function runAt(state: State, number: number): Run {
  const { run, doubted } = state;
  if (run !== null) return run;
  if (doubted === null) return (state.run = createRun(number));
  state.finished.splice(state.finished.indexOf(doubted.draft), 1);
  state.doubted = null;
  return (state.run = { ...createRun(doubted.draft.first), suspect: doubted });
}

/** Several subtests of a test may fail; classes that cannot be set up are not among the tests that ran. */
function passedOf(
  run: Run,
  tests: number,
  failed: number,
  skipped: number,
  unexpected: number,
): number {
  const isMarked = run.marks.length >= tests && run.marks.length >= failed + skipped;
  const dots = run.marks.split('.').length - 1;
  if (isMarked && dots <= tests && run.marks.length === dots + failed + skipped) return dots;
  const failing = run.failing.size > 0 ? run.failing.size : failed - run.outside - unexpected;
  return tests - failing - unexpected - (skipped - run.skippedOutside);
}

const statuses: Readonly<Record<string, TestStatus>> = {
  ok: 'passed',
  FAIL: 'failed',
  ERROR: 'error',
  'expected failure': 'skipped',
  'unexpected success': 'failed',
};

function readDetail(state: State, text: string, number: number): void {
  if (isHeading(text) && isRule(state.previous, '=')) {
    const run = runAt(state, number);
    run.draft.anchored = true;
    endReport(run);
    startReport(run, text);
    return;
  }
  if (/^[.FEsxu]+$/.test(text)) {
    const { run } = state;
    // Other runners print dots as well: a later line of them begins anew.
    const isNew = run !== null && !run.draft.anchored && number > run.marksLine + 10;
    const current = isNew ? { ...createRun(number), suspect: run.suspect } : runAt(state, number);
    state.run = current;
    current.marksLine = number;
    if (current.marks.length < 100_000) current.marks += text;
    return;
  }
  const result = readResult(text);
  if (result !== null) return addResult(state, result, text, number);
  const started = /^(\w+ \([\w.<>]+\)) \.\.\.(?: |$)/.exec(text)?.[1];
  if (started !== undefined) runAt(state, number).pending = started;
  if (state.run !== null) state.run.title = isTitle(text) ? text : null;
  else if (isTitle(text)) state.run = { ...createRun(number), title: text };
}

function isHeading(text: string): boolean {
  return /^(?:FAIL|ERROR|UNEXPECTED SUCCESS): /.test(text);
}

/** `test_adds (test_mixed.Mixed)`, alone on its line when a description follows */
function isTitle(text: string): boolean {
  return text.endsWith(')') && /^\w+ \([\w.<>]+\)$/.test(text);
}

/** What stands behind the last ` ... ` of a line. */
function readResult(
  text: string,
): { readonly status: TestStatus; readonly isSkip: boolean } | null {
  const at = text.lastIndexOf(' ... ');
  const word = at === -1 ? text : text.slice(at + 5);
  const status = statuses[word];
  if (status !== undefined) return { status, isSkip: false };
  return /^skipped ['"]/.test(word) ? { status: 'skipped', isSkip: true } : null;
}

function addResult(
  state: State,
  { status, isSkip }: { readonly status: TestStatus; readonly isSkip: boolean },
  text: string,
  number: number,
): void {
  const own = /^ *(\w+ \([\w.<>]+\)(?: [[(].*)?) \.\.\. /.exec(text)?.[1];
  const isAlone = !text.includes(' ... ');
  const name = isAlone ? state.run?.pending : (own ?? state.run?.title);
  if (name === null || name === undefined) return;
  const run = runAt(state, number);
  run.results++;
  run.pending = null;
  run.draft.anchored = true;
  run.draft.last = number;
  run.title = null;
  if (isSkip && /^(?:setUpClass|setUpModule) /.test(name)) run.skippedOutside++;
  addTest(run.draft, name, status);
}

/** `ERROR: test_throws (test_mixed.Mixed.test_throws)`, then a rule, then the traceback */
function startReport(run: Run, text: string): void {
  const name = text.slice(text.indexOf(': ') + 2);
  if (text.startsWith('UNEXPECTED')) return addFailure(run.draft, name, 'unexpected success');
  run.report = { name, lines: [], isBody: false };
  addFailure(run.draft, name, '');
  if (/^(?:setUpClass|tearDownClass|setUpModule|tearDownModule) /.test(name)) run.outside++;
  // A subtest names its parameters behind the test.
  else run.failing.add(/^\w+ \([\w.<>]+\)/.exec(name)?.[0] ?? name);
}

/** Keeps what the traceback ends with; false when the line is not part of the report. */
function readReport(run: Run, report: NonNullable<Run['report']>, text: string): boolean {
  if (isRule(text, '-')) {
    if (report.isBody) endReport(run);
    report.isBody = true;
    return true;
  }
  if (isRule(text, '=')) {
    endReport(run);
    return false;
  }
  if (!report.isBody || text.startsWith(' ') || text.startsWith('Traceback ')) return true;
  if (text.trim() !== '' && report.lines.length < 30) report.lines.push(text);
  return true;
}

function endReport(run: Run): void {
  const { report } = run;
  run.report = null;
  if (report === null) return;
  const message = report.lines.join('\n');
  addFailure(run.draft, report.name, message);
  if (
    /unittest\.loader\.(?:_FailedTest|ModuleImportFailure)|ModuleImportFailure|LoadTestsFailure/.test(
      report.name,
    )
  )
    addError(run.draft, `${report.name}: ${message}`);
}

function cutOff(run: Run): Draft {
  endReport(run);
  const { draft } = run;
  draft.incomplete = true;
  for (const { status } of draft.tests) {
    if (status === 'passed') draft.passed++;
    else if (status === 'skipped') draft.skipped++;
  }
  draft.failed = draft.failures.length;
  return draft;
}

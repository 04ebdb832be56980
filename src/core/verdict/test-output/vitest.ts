import { addError, addFailure, addTest, createDraft, type Draft } from './draft.ts';
import type { Reader, Runner } from './runner.ts';
import type { TestStatus } from './test-run.ts';

/** The default, verbose, dot and basic reporters of vitest 0.x to 5. */
export const vitest: Runner = { name: 'vitest', starts: 'RDNTE⎯✓√×❯↓□', read };

type Counts = {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly total: number;
};

/** The closing lines as far as they were read; they follow each other within a few lines. */
type Summary = {
  readonly line: number;
  files: Counts | null;
  tests: Counts | null;
  errors: number;
};

/** Where the text being read belongs: the report of a failed suite, of a failed test, of an unhandled error. */
type Section = 'suites' | 'tests' | 'unhandled' | null;

/** What the lines for files, or those for tests, add up to. */
type Tally = { lines: number; tests: number; failed: number };

/** A run with the lines it printed for its files and tests, and the summary that ended it. */
type Run = {
  readonly draft: Draft;
  readonly byFile: Tally;
  readonly byTest: Tally;
  /** The summary agrees with those lines, so no test printed it. */
  isSure: boolean;
};

type State = {
  /** Open runs; a run that starts inside another one was printed by a test and is dropped when it ends. */
  readonly open: Run[];
  readonly finished: Run[];
  summary: Summary | null;
  section: Section;
  names: string[];
  message: string[];
  readonly titles: { readonly indent: number; readonly name: string }[];
};

function read(): Reader {
  const state: State = {
    open: [],
    finished: [],
    summary: null,
    section: null,
    names: [],
    message: [],
    titles: [],
  };
  return {
    line: (text, number) => {
      if (isHeader(text)) return startRun(state, number);
      if (text.startsWith('No test files found, exiting with code'))
        return endEmptyRun(state, number);
      if (text.includes('⎯') && enterSection(state, text)) return;
      if (state.section !== null && readReport(state, text)) return;
      if (readSummary(state, text, number)) return;
      readDetail(state, text, number);
    },
    isIdle: () =>
      state.open.length + state.finished.length === 0 &&
      state.summary === null &&
      state.section === null,
    end: () => {
      endReport(state);
      endByCounts(state);
      // Only the outermost open run is real: what it contains belongs to it.
      const [cutOff] = state.open;
      if (cutOff !== undefined) cutOff.draft.incomplete = true;
      for (const run of state.finished) doubtHiddenFailures(run);
      return [...state.finished, ...state.open.slice(0, 1)].map(({ draft }) => draft);
    },
  };
}

/** ` RUN  v5.1.0 /repo` */
function isHeader(text: string): boolean {
  return text.length < 1000 && / v\d/.test(text) && /^ ?(?:RUN|DEV) +v\d+\.\d+\.\d+/.test(text);
}

function startRun(state: State, number: number): void {
  endReport(state);
  state.section = null;
  state.summary = null;
  const run = createRun(number);
  run.draft.anchored = true;
  state.open.push(run);
}

function createTally(): Tally {
  return { lines: 0, tests: 0, failed: 0 };
}

function createRun(number: number): Run {
  const draft = createDraft('vitest', number);
  return { draft, byFile: createTally(), byTest: createTally(), isSure: false };
}

function endEmptyRun(state: State, number: number): void {
  const run = state.open.pop();
  if (run === undefined || state.open.length > 0) return;
  run.draft.last = number;
  run.isSure = true;
  state.finished.push(run);
}

function currentRun(state: State): Run | undefined {
  return state.open.at(-1) ?? state.finished.at(-1);
}

/** `⎯⎯⎯ Failed Tests 2 ⎯⎯⎯` starts a section; a line of dashes ends one report in it. */
function enterSection(state: State, text: string): boolean {
  const title = text.replaceAll('⎯', '').trim();
  if (title === '' || /^\[\d+\/\d+\]$/.test(title)) {
    endReport(state);
    return state.section !== null;
  }
  const section = sectionOf(title);
  if (section === null) return false;
  endReport(state);
  state.section = section;
  if (section === 'unhandled') state.names = [title];
  return true;
}

function sectionOf(title: string): Section {
  if (/^Failed Suites \d+$/.test(title)) return 'suites';
  if (/^Failed Tests \d+$/.test(title)) return 'tests';
  return /^(Unhandled|Uncaught) (Errors?|Rejection|Exception)$|^Unhandled Source Errors?$/.test(
    title,
  )
    ? 'unhandled'
    : null;
}

/** Takes a line of a failure report; false when the line is not part of it. */
function readReport(state: State, text: string): boolean {
  const name = /^ ?FAIL +(\S.*)$/.exec(text)?.[1];
  if (name !== undefined && state.section !== 'unhandled') {
    if (state.message.length > 0) endReport(state);
    state.names.push(name.replace(/ \[ .* \]$/, '').trim());
    return true;
  }
  if (/^ *(Test Files|Tests|Snapshots) {2}/.test(text)) {
    endReport(state);
    state.section = null;
    return false;
  }
  if (state.names.length === 0) return false;
  const isEnd = text.trim() === '' || text.startsWith(' ❯ ');
  if (isEnd && state.message.length > 0) endReport(state);
  else if (!isEnd && state.message.length < 30) state.message.push(text);
  return true;
}

function endReport(state: State): void {
  const draft = currentRun(state)?.draft;
  const message = state.message.join('\n');
  if (draft !== undefined && state.section === 'unhandled' && message !== '') {
    if (!message.startsWith('Vitest caught')) addError(draft, message);
  }
  if (draft !== undefined && state.section !== 'unhandled') {
    for (const name of state.names) {
      if (state.section === 'suites') addError(draft, `${name}: ${message}`);
      else addFailure(draft, name, message);
    }
  }
  state.names = [];
  state.message = [];
}

function readSummary(state: State, text: string, number: number): boolean {
  const match = /^ *(Test Files|Tests|Errors|Duration) {2}(\S.*)$/.exec(text);
  if (match === null) return false;
  const [, key, value = ''] = match;
  if (key === 'Test Files')
    state.summary = { line: number, files: readCounts(value), tests: null, errors: 0 };
  const { summary } = state;
  if (summary === null || number > summary.line + 8) return true;
  if (key === 'Tests') summary.tests = readCounts(value);
  if (key === 'Errors') summary.errors = Number.parseInt(value, 10) || 0;
  if (key === 'Duration') endRun(state, summary, number);
  return true;
}

/** `2 failed | 5 passed | 1 expected fail | 1 skipped | 1 todo (10)` or `no tests` */
function readCounts(value: string): Counts | null {
  if (value.trim() === 'no tests') return { passed: 0, failed: 0, skipped: 0, total: 0 };
  const match = /^([^()]*)\((\d+)\)\s*$/.exec(value);
  if (match === null) return null;
  const counts = { passed: 0, failed: 0, skipped: 0, total: Number(match[2]) };
  for (const part of (match[1] ?? '').split('|')) {
    const [number = '', ...kind] = part.trim().split(' ');
    const status = kindOf(kind.join(' '));
    if (status === null || !/^\d+$/.test(number)) continue;
    counts[status] += Number(number);
  }
  return counts;
}

function kindOf(kind: string): 'passed' | 'failed' | 'skipped' | null {
  if (kind === 'passed' || kind === 'failed') return kind;
  return kind === 'skipped' || kind === 'todo' || kind === 'expected fail' ? 'skipped' : null;
}

/**
 * Ends the innermost open run. A summary without an open run follows one that a test printed and that ended the run
 * too early: it takes its place if it agrees with the files and tests that were printed, else the worse of both holds.
 */
function endRun(state: State, summary: Summary, number: number): void {
  state.summary = null;
  const { files, tests } = summary;
  if (files === null || tests === null) return;
  const opened = state.open.pop();
  if (state.open.length > 0) return;
  const before = opened === undefined ? state.finished.at(-1) : undefined;
  const run = opened ?? before ?? createRun(summary.line);
  const isSure =
    (run.byFile.lines === files.total && agrees(run.byFile, tests)) ||
    (run.byTest.lines > 0 && agrees(run.byTest, tests));
  if (before !== undefined && (before.isSure || (!isSure && tests.failed <= before.draft.failed)))
    return;
  if (before === undefined) state.finished.push(run);
  run.isSure = isSure;
  setCounts(run.draft, files, tests, summary.errors);
  run.draft.anchored = opened !== undefined || before !== undefined;
  run.draft.last = number;
}

/** Output that ends behind its counts is whole, if the counts are those of the files and tests above them. */
function endByCounts(state: State): void {
  const { summary } = state;
  if (summary === null || summary.tests === null) return;
  endRun(state, summary, summary.line + 1);
  const run = state.finished.at(-1);
  if (run !== undefined && run.draft.anchored && !run.isSure) run.draft.incomplete = true;
}

/** Where more tests fail than the summary counts, a test printed one or the other. */
function doubtHiddenFailures({ draft, byFile, byTest }: Run): void {
  if (Math.max(byFile.failed, byTest.failed, draft.failures.length) > draft.failed)
    draft.incomplete = true;
}

function agrees(tally: Tally, tests: Counts): boolean {
  return tally.tests === tests.total && tally.failed === tests.failed;
}

function setCounts(draft: Draft, files: Counts, tests: Counts, errors: number): void {
  draft.passed = tests.passed;
  draft.failed = tests.failed;
  draft.skipped = tests.skipped;
  const addsUp = ({ passed, failed, skipped, total }: Counts) =>
    total === passed + failed + skipped;
  draft.incomplete = !addsUp(tests) || !addsUp(files);
  if (errors > 0 && draft.errors.length === 0) addError(draft, `${errors} unhandled errors`);
  const isUnloaded = files.failed > 0 && tests.failed === 0;
  if (isUnloaded && draft.errors.length === 0)
    addError(draft, `${files.failed} test files failed to run`);
}

const statuses: Readonly<Record<string, TestStatus>> = {
  '✓': 'passed',
  '√': 'passed',
  '×': 'failed',
  '❯': 'failed',
  '↓': 'skipped',
  '□': 'skipped',
};

/** A file ` ✓ a.test.ts (3 tests) 4ms`, a group `   ❯ parser (6)`, or a test `     × throws 1ms`. */
function readDetail(state: State, text: string, number: number): void {
  let indent = 0;
  while (text[indent] === ' ') indent++;
  const status = statuses[text[indent] ?? ''];
  if (status === undefined || indent === 0 || text[indent + 1] !== ' ') return;
  const isFile = indent === 1 && /\((\d+ tests?\b[^()]*|\d+)\)( |$)/.test(text);
  const run = currentRun(state) ?? (isFile ? headlessRun(state, number) : undefined);
  if (run === undefined) return;
  const { draft } = run;
  draft.last = Math.max(draft.last, number);
  const { titles } = state;
  while ((titles.at(-1)?.indent ?? 0) >= indent) titles.pop();
  const { name, durationMs } = splitDuration(text.slice(indent + 2).trim());
  const title = name.replace(/ +\((\d+ tests?\b[^()]*|\d+)\)$/, '');
  if (isFile) tallyFile(run.byFile, text);
  if (isFile || (title !== name && durationMs === null)) {
    titles.push({ indent, name: title });
    return;
  }
  if (text[indent] === '❯') return;
  run.byTest.lines++;
  run.byTest.tests++;
  if (status === 'failed') run.byTest.failed++;
  addTest(draft, [...titles.map((outer) => outer.name), name].join(' > '), status, durationMs);
}

/** `(7 tests | 2 failed | 1 skipped)` */
function tallyFile(tally: Tally, text: string): void {
  const match = /\((\d+)(?: tests?(?: \| (\d+) failed)?)?/.exec(text.slice(text.lastIndexOf(' (')));
  tally.lines++;
  tally.tests += Number(match?.[1] ?? 0);
  tally.failed += Number(match?.[2] ?? 0);
}

/** A run whose header was cut away still shows its files; with a summary behind them it is as good as one with it. */
function headlessRun(state: State, number: number): Run {
  const run = createRun(number);
  state.open.push(run);
  return run;
}

function splitDuration(text: string): {
  readonly name: string;
  readonly durationMs: number | null;
} {
  const space = text.lastIndexOf(' ');
  const match = /^(\d+(?:\.\d+)?)(ms|s)$/.exec(text.slice(space + 1));
  if (match === null || space === -1) return { name: text, durationMs: null };
  return {
    name: text.slice(0, space).trim(),
    durationMs: Number(match[1]) * (match[2] === 's' ? 1000 : 1),
  };
}

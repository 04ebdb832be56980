import { addError, addFailure, countTest, createDraft, type Draft, setCounts } from './draft.ts';
import type { Reader, Runner } from './runner.ts';

/** GoogleTest; each repetition of `--gtest_repeat` is a run. */
export const gtest: Runner = { name: 'gtest', starts: '[', read };

type Run = {
  readonly draft: Draft;
  /** The test that runs: until it ends, only its own end is the runner's. */
  running: string | null;
  readonly message: string[];
  isMessage: boolean;
  /** `[==========] 9 tests from 3 test suites ran.`, with the counts below it. */
  ran: { readonly tests: number; readonly line: number } | null;
  passed: number;
  skipped: number;
  disabled: number;
  isClosed: boolean;
};

function read(): Reader {
  const runs: Run[] = [];
  return {
    line: (text, number) => readLine(runs, text, number),
    isIdle: () => runs.length === 0,
    end: () => runs.map(finish),
  };
}

function createRun(line: number, isAnchored: boolean): Run {
  const draft = createDraft('gtest', line);
  draft.anchored = isAnchored;
  return {
    draft,
    running: null,
    message: [],
    isMessage: false,
    ran: null,
    passed: 0,
    skipped: 0,
    disabled: 0,
    isClosed: false,
  };
}

function readLine(runs: Run[], text: string, number: number): void {
  const run = runs.at(-1);
  if (text.charCodeAt(0) === 0x5b && text[11] === ']') {
    const tag = text.slice(1, 11).trim();
    const rest = text.slice(13);
    if (tag === '==========') return readRule(runs, rest, number);
    if (run !== undefined && !(run.isClosed && run.ran !== null && isResult.test(rest)))
      return readTag(run, tag, rest, number);
    // Brief output begins with the first failure.
    if (tag !== 'FAILED' || !isResult.test(rest)) return;
    const brief = createRun(number, true);
    runs.push(brief);
    return readTag(brief, tag, rest, number);
  }
  if (run === undefined) return;
  const disabled = /^ {2}YOU HAVE (\d+) DISABLED TESTS?$/.exec(text);
  if (disabled !== null && run.ran !== null) run.disabled = Number(disabled[1]);
  else readMessage(run, text);
}

const isResult = / \(\d+ ms\)$/;

/** `[==========] Running 9 tests from 3 test suites.`, `[==========] 9 tests from 3 test suites ran. (0 ms total)` */
function readRule(runs: Run[], rest: string, number: number): void {
  const run = runs.at(-1);
  if (run !== undefined && run.running !== null) return;
  if (/^Running \d+ tests? from /.test(rest)) {
    runs.push(createRun(number, true));
    return;
  }
  const ran = /^(\d+) tests? (?:from \d+ test (?:suite|case)s? )?ran\./.exec(rest);
  if (ran === null) return;
  let current = run;
  if (current === undefined || current.isClosed) {
    current = createRun(number, false);
    runs.push(current);
  }
  current.ran = { tests: Number(ran[1]), line: number };
  current.passed = 0;
  current.skipped = 0;
}

function readTag(run: Run, tag: string, rest: string, number: number): void {
  const { draft } = run;
  if (tag === 'RUN') {
    run.running ??= rest;
    run.message.length = 0;
    run.isMessage = false;
    draft.last = number;
    return;
  }
  if (run.ran !== null && run.running === null && readCount(run, tag, rest, number)) return;
  if (tag !== 'OK' && tag !== 'FAILED' && tag !== 'SKIPPED') return;
  const match = /^(.*?)(, where (?:Get|Type)Param\(\)? = .*)? \((\d+) ms\)$/.exec(rest);
  if (match === null) return;
  const name = match[1] ?? '';
  if (run.running !== null && run.running !== name) return;
  run.running = null;
  const status = tag === 'OK' ? 'passed' : tag === 'FAILED' ? 'failed' : 'skipped';
  countTest(draft, name, status, Number(match[3]));
  if (status === 'failed') addFailure(draft, name, run.message.join('\n'));
  run.message.length = 0;
  run.isMessage = false;
  draft.last = number;
}

/** The counts behind the last rule: `[  PASSED  ] 5 tests.`, `[  SKIPPED ] 1 test, listed below:` */
function readCount(run: Run, tag: string, rest: string, number: number): boolean {
  const match = /^(\d+) (tests?|test suites?)(?:\.|, listed below:)$/.exec(rest);
  if (match === null) return false;
  const count = Number(match[1]);
  if (match[2]?.startsWith('test suite') === true)
    addError(run.draft, `${count} test suites failed`);
  else if (tag === 'PASSED') {
    // Fewer failures than were printed above: a test printed these counts.
    if (run.ran !== null && run.draft.failed > run.ran.tests - count) {
      run.ran = null;
      return true;
    }
    run.passed = count;
  } else if (tag === 'SKIPPED') run.skipped = count;
  run.isClosed = run.isClosed || tag === 'PASSED';
  run.draft.last = number;
  return true;
}

/** `a.cpp:7: Failure` and what stands below it */
function readMessage(run: Run, text: string): void {
  if (/: (?:Failure|error: ?.*)$/.test(text)) run.isMessage = true;
  if (run.isMessage && run.message.length < 30) run.message.push(text);
}

function finish(run: Run): Draft {
  const { draft, ran } = run;
  if (run.running !== null) countTest(draft, run.running, 'failed');
  if (run.running !== null) addFailure(draft, run.running, run.message.join('\n'));
  if (ran === null || !run.isClosed) {
    draft.incomplete = true;
    return draft;
  }
  const failed = ran.tests - run.passed - run.skipped;
  const hidden = draft.failed > failed || run.running !== null;
  setCounts(draft, { passed: run.passed, failed, skipped: run.skipped + run.disabled }, ran.line);
  draft.incomplete = hidden || failed < 0;
  return draft;
}

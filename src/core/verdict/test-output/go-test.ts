import {
  addError,
  addFailure,
  addTest,
  countTest,
  createDraft,
  type Draft,
  replaceMessage,
} from './draft.ts';
import type { Reader, Runner } from './runner.ts';
import type { TestStatus } from './test-run.ts';

/**
 * `go test`, plain and `-v`: one run for each package. Plain output names only failing tests: a package without any
 * counts there as one, and the run says so in `packages`.
 */
export const goTest: Runner = { name: 'go test', starts: 'oF?=-t', read };

/** The package being read. Tests that run are those of `-v` whose result has not come. */
type Package = {
  readonly draft: Draft;
  isVerbose: boolean;
  readonly running: Map<string, string[]>;
  /** The test whose output is being read, and what it printed. */
  failing: { readonly name: string; readonly lines: string[] } | null;
  current: string | null;
  /** The test without a parent that runs and does not wait for its turn; there is one at a time. */
  sequential: string | null;
  /** A line that says that the package failed while tests run: they took it down, or one of them printed it. */
  ended: { readonly end: End; readonly number: number } | null;
  panic: string | null;
  ranNothing: boolean;
};

type State = { readonly finished: Draft[]; open: Package | null };

function read(): Reader {
  const state: State = { finished: [], open: null };
  return {
    line: (text, number) => {
      const end = text.includes('\t') ? readEnd(text) : null;
      if (end === null || isPrinted(state, end)) return readLine(state, text, number);
      endEnded(state);
      if (end.word === 'FAIL' && state.open !== null && isInTest(state.open))
        state.open.ended = { end, number };
      else endPackage(state, end, number);
    },
    isIdle: () => state.open === null,
    end: (lastLine) => {
      endEnded(state);
      if (state.open !== null) state.finished.push(cutOff(state.open));
      else if (breaksOff(lastLine))
        for (const draft of state.finished.slice(-1)) draft.incomplete = true;
      // A single "ok" says as little as a bare summary.
      const isGo = state.finished.length > 1 || state.finished.some(({ anchored }) => anchored);
      return state.finished.map((draft) => ({ ...draft, anchored: isGo, isSolid: true }));
    },
  };
}

type End = { readonly word: 'ok' | 'FAIL' | '?'; readonly name: string; readonly note: string };

/** `ok  \texample.com/a\t0.005s`, `FAIL\texample.com/a [build failed]`, `?   \texample.com/a\t[no test files]` */
function readEnd(text: string): End | null {
  const match = /^(ok {2}|FAIL|\? {3})\t([^\s]+)(?:[\t ](.*))?$/.exec(text);
  if (match === null) return null;
  const word = match[1]?.trim();
  if (word !== 'ok' && word !== 'FAIL' && word !== '?') return null;
  const note = match[3] ?? '';
  const isTimed = /^(\d+\.\d+s|\(cached\)|\[)/.test(note);
  return isTimed ? { word, name: match[2] ?? '', note } : null;
}

const beginnings = ['ok  \t', '?   \t', 'FAIL\t', '=== RUN   ', '--- PASS: ', '--- FAIL: '];

/** Whether the line is the beginning of one that go prints for a test or a package. */
function breaksOff(line: string): boolean {
  if (line === 'FAIL' || line === '' || readEnd(line) !== null) return false;
  return beginnings.some((known) => known.startsWith(line) || line.startsWith(known));
}

function isInTest({ running, panic }: Package): boolean {
  return running.size > 0 && panic === null;
}

/** Nothing came of the tests that ran when the package was said to have failed. */
function endEnded(state: State): void {
  const ended = state.open?.ended ?? null;
  if (ended !== null) endPackage(state, ended.end, ended.number);
}

/** While a test runs, or behind a failed one, a line that says that a package passed was printed by a test. */
function isPrinted({ open }: State, { word }: End): boolean {
  if (word === 'FAIL' || open === null || open.ended !== null) return false;
  return open.running.size > 0 || open.draft.failed > 0;
}

function endPackage(state: State, { word, name, note }: End, number: number): void {
  const { draft, isVerbose, running, panic, ranNothing } = state.open ?? createPackage(number);
  state.open = null;
  draft.last = number;
  draft.anchored ||= word === 'FAIL';
  if (word === '?' || note.includes('[no test') || (ranNothing && word === 'ok')) {
    if (draft.failed + draft.passed + draft.skipped > 0) draft.incomplete = true;
    state.finished.push(draft);
    return;
  }
  if (word === 'ok') {
    if (!isVerbose && draft.failed === 0) countPackage(draft, name, 'passed', note);
    state.finished.push(draft);
    return;
  }
  if (!isVerbose) draft.showsOnlyFailures = true;
  for (const test of running.keys()) countTest(draft, test, 'failed');
  if (/\[(build|setup) failed\]/.test(note))
    addError(draft, `${name}: ${note.replaceAll(/[[\]]/g, '')}`);
  else if (draft.failed === 0 && isVerbose) addError(draft, `${name}: ${outsideOfTests}`);
  else if (draft.failed === 0) countPackage(draft, name, 'failed', note);
  if (panic !== null) addPanic(draft, panic);
  finishFailures(draft);
  state.finished.push(draft);
}

/** What a package says that fails although none of its tests did: its `TestMain`, an exit, a check of the runtime. */
export const outsideOfTests = 'the package failed outside of its tests';

function countPackage(draft: Draft, name: string, status: TestStatus, note: string): void {
  countTest(draft, name, status, secondsOf(note));
  draft.packages++;
}

/** A panic fails the last test and keeps the rest of the package from running. */
function addPanic(draft: Draft, panic: string): void {
  addError(draft, panic);
  const last = draft.tests.findLast(({ status }) => status === 'failed');
  if (last !== undefined) addFailure(draft, last.name, panic);
}

function secondsOf(note: string): number | null {
  const match = /^(\d+\.\d+)s/.exec(note);
  return match === null ? null : Math.round(Number(match[1]) * 1000);
}

function finishFailures(draft: Draft): void {
  for (const { status, name, error } of draft.tests) {
    if (status === 'failed') addFailure(draft, name, error ?? '');
  }
}

function createPackage(number: number): Package {
  return {
    draft: createDraft('go test', number),
    isVerbose: false,
    running: new Map(),
    failing: null,
    current: null,
    sequential: null,
    ended: null,
    panic: null,
    ranNothing: false,
  };
}

const statuses: Readonly<Record<string, TestStatus>> = {
  PASS: 'passed',
  FAIL: 'failed',
  SKIP: 'skipped',
};

function readLine(state: State, text: string, number: number): void {
  const frame = readFrame(text, state.open?.isVerbose === true);
  if (frame !== null) return enterTest(state, frame, number);
  // What a test printed without a line break stands before its result.
  const at = text.endsWith('s)') ? text.lastIndexOf('--- ') : -1;
  const result =
    at === -1 ? null : /^--- (PASS|FAIL|SKIP): (\S.*) \((\d+\.\d+)s\)$/.exec(text.slice(at));
  if (result !== null && (text.trimStart().startsWith('---') || isRunning(state, result)))
    return readResult(state, result, number);
  if (text === 'testing: warning: no tests to run')
    (state.open ??= createPackage(number)).ranNothing = true;
  const { open } = state;
  if (open === null) return;
  if (text.startsWith('panic: ')) open.panic ??= text;
  if (open.failing !== null && open.failing.lines.length < 30 && text.startsWith(' '))
    open.failing.lines.push(text.trim());
  const printed = open.running.get(open.current ?? '');
  if (printed !== undefined && printed.length < 30) printed.push(text.trim());
  if (open.failing !== null) addFailureLines(open);
}

type Frame = { readonly word: string; readonly name: string };

/** `=== RUN   TestA`; what a test printed without a line break stands before it. */
function readFrame(text: string, isVerbose: boolean): Frame | null {
  const at = text.startsWith('=== ') ? 0 : isVerbose ? text.lastIndexOf('=== RUN   ') : -1;
  const match = at === -1 ? null : /^=== (RUN|CONT|NAME|PAUSE) +(\S.*)$/.exec(text.slice(at));
  return match === null ? null : { word: match[1] ?? '', name: match[2] ?? '' };
}

function enterTest(state: State, { word, name }: Frame, number: number): void {
  // A package that was said to have failed goes on only where its own tests do.
  if (state.open !== null && state.open.ended !== null) {
    if (word === 'RUN' ? hasParent(state.open, name) : state.open.running.has(name))
      state.open.ended = null;
    else endEnded(state);
  }
  const open = (state.open ??= createPackage(number));
  open.isVerbose = true;
  open.draft.anchored = true;
  // While one runs that does not wait, it printed the start of another.
  if (word === 'RUN' && open.sequential !== null && !name.includes('/')) return;
  open.current = word === 'PAUSE' ? null : name;
  open.failing = null;
  if (word === 'PAUSE' && open.sequential === name) open.sequential = null;
  // A benchmark has no result.
  if (word !== 'RUN' || open.running.size >= 10_000 || name.startsWith('Benchmark')) return;
  open.running.set(name, []);
  if (!name.includes('/')) open.sequential = name;
}

function hasParent({ running }: Package, name: string): boolean {
  const slash = name.lastIndexOf('/');
  return slash !== -1 && running.has(name.slice(0, slash));
}

function isRunning({ open }: State, match: RegExpExecArray): boolean {
  return open?.running.has(match[2] ?? '') === true;
}

function readResult(state: State, match: RegExpExecArray, number: number): void {
  const [, word = '', name = '', seconds = ''] = match;
  const status = statuses[word] ?? 'failed';
  const open = state.open ?? createPackage(number);
  const printed = open.running.get(name);
  if (printed === undefined && (open.isVerbose || status !== 'failed')) return;
  state.open = open;
  open.running.delete(name);
  if (open.sequential === name) open.sequential = null;
  open.ended = null;
  open.draft.last = number;
  open.draft.anchored = true;
  countTest(open.draft, name, status, Math.round(Number(seconds) * 1000));
  open.failing = null;
  if (status !== 'failed') return;
  addFailure(open.draft, name, (printed ?? []).join('\n'));
  if (printed === undefined || printed.length === 0) open.failing = { name, lines: [] };
}

/** In plain output the message stands below the test. */
function addFailureLines({ draft, failing }: Package): void {
  if (failing === null || failing.lines.length === 0) return;
  replaceMessage(draft, failing.name, failing.lines.join('\n'));
}

function cutOff({ draft, running }: Package): Draft {
  draft.incomplete = true;
  for (const name of running.keys()) addTest(draft, name, 'error');
  finishFailures(draft);
  return draft;
}

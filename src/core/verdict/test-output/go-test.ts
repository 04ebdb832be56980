import { addError, addFailure, addTest, countTest, createDraft, type Draft } from './draft.ts';
import type { Reader, Runner } from './runner.ts';
import type { TestStatus } from './test-run.ts';

/**
 * `go test`, plain and `-v`: one run for each package. Plain output names only failing tests, so a package that
 * passed counts there as one passed test.
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
  panic: string | null;
  ranNothing: boolean;
};

type State = { readonly finished: Draft[]; open: Package | null };

function read(): Reader {
  const state: State = { finished: [], open: null };
  return {
    line: (text, number) => {
      const end = text.includes('\t') ? readEnd(text) : null;
      if (end !== null && !isPrinted(state, end)) return endPackage(state, end, number);
      readLine(state, text, number);
    },
    isIdle: () => state.open === null,
    end: () => {
      if (state.open !== null) state.finished.push(cutOff(state.open));
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

/** While a test runs, or behind a failed one, a line that says that a package passed was printed by a test. */
function isPrinted({ open }: State, { word }: End): boolean {
  return word !== 'FAIL' && open !== null && (open.running.size > 0 || open.draft.failed > 0);
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
    if (!isVerbose && draft.failed === 0) countTest(draft, name, 'passed', secondsOf(note));
    state.finished.push(draft);
    return;
  }
  if (!isVerbose) draft.showsOnlyFailures = true;
  for (const test of running.keys()) countTest(draft, test, 'failed');
  if (/\[(build|setup) failed\]/.test(note))
    addError(draft, `${name}: ${note.replaceAll(/[[\]]/g, '')}`);
  else if (draft.failed === 0) countTest(draft, name, 'failed', secondsOf(note));
  if (panic !== null) addPanic(draft, panic);
  finishFailures(draft);
  state.finished.push(draft);
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
  const run = /^=== (RUN|CONT|NAME|PAUSE) +(\S.*)$/.exec(text);
  if (run !== null) {
    const open = (state.open ??= createPackage(number));
    open.isVerbose = true;
    open.draft.anchored = true;
    open.current = run[1] === 'PAUSE' ? null : (run[2] ?? null);
    open.failing = null;
    if (run[1] === 'RUN' && open.running.size < 10_000) open.running.set(run[2] ?? '', []);
    return;
  }
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
  const index = draft.failureIndex.get(failing.name);
  if (index !== undefined)
    draft.failures[index] = { name: failing.name, message: failing.lines.join('\n') };
}

function cutOff({ draft, running }: Package): Draft {
  draft.incomplete = true;
  for (const name of running.keys()) addTest(draft, name, 'error');
  finishFailures(draft);
  return draft;
}

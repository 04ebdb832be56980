import { addFailure, addTest, createDraft, type Draft, setCounts } from './draft.ts';
import type { Reader, Runner } from './runner.ts';

/** uvu through its command or by itself: marks for each suite, failures, and a block of totals. */
export const uvu: Runner = { name: 'uvu', read };

const keys = ['Total', 'Passed', 'Skipped', 'Duration'];

type State = {
  readonly finished: Draft[];
  draft: Draft | null;
  /** What the lines of marks, `• ✘   (1 / 2)`, add up to. */
  marks: number;
  failures: number;
  values: number[];
  /** Where the next line of the totals must stand. */
  nextLine: number;
  fallback: Draft | null;
  failure: { readonly name: string; readonly lines: string[] } | null;
};

function read(): Reader {
  const state: State = {
    finished: [],
    draft: null,
    marks: 0,
    failures: 0,
    values: [],
    nextLine: -1,
    fallback: null,
    failure: null,
  };
  return {
    line: (text, number) => readLine(state, text, number),
    end: () => end(state),
  };
}

function readLine(state: State, text: string, number: number): void {
  if (state.failure !== null) readFailure(state, text);
  const marks = readMarks(text);
  if (marks !== null) {
    state.draft ??= createDraft('uvu', number);
    state.draft.anchored = true;
    state.draft.last = number;
    state.marks += marks;
    return;
  }
  if (!text.startsWith('  ')) return;
  const failed = /^ +FAIL {2}(?:(.*?) {2})?"(.*)"$/.exec(text);
  if (failed !== null && state.draft !== null) {
    const name = [failed[1]?.trim(), failed[2]].filter((part) => part !== undefined).join(' > ');
    state.failures++;
    addTest(state.draft, name, 'failed');
    state.failure = { name, lines: [] };
    addFailure(state.draft, name, '');
    return;
  }
  readTotal(state, text, number);
}

/** ` suite  • ✘   (1 / 2)`: how many tests ran. */
function readMarks(text: string): number | null {
  if (!text.endsWith(')')) return null;
  const at = text.lastIndexOf('   (');
  if (at < 1 || !'•✘'.includes(text[at - 1] ?? ' ')) return null;
  const match = /^\((\d+) \/ (\d+)\)$/.exec(text.slice(at + 3));
  return match === null ? null : Number(match[2]);
}

/** The message ends where the stack begins. */
function readFailure(state: State, text: string): void {
  const { failure, draft } = state;
  if (failure === null || draft === null) return;
  if (/^ +at /.test(text) || failure.lines.length >= 30) {
    addFailure(draft, failure.name, failure.lines.map((line) => line.trim()).join('\n'));
    state.failure = null;
  } else failure.lines.push(text);
}

/** `  Total:     3`, `  Passed:    1`, `  Skipped:   1`, `  Duration:  3.01ms` in a row. */
function readTotal(state: State, text: string, number: number): void {
  const match = /^ {2}(Total|Passed|Skipped|Duration): +(\d+(?:\.\d+)?)/.exec(text);
  if (match === null) return;
  if (match[1] === 'Total') state.values = [];
  else if (number !== state.nextLine || keys[state.values.length] !== match[1]) {
    state.nextLine = -1;
    return;
  }
  state.values.push(Number(match[2]));
  state.nextLine = number + 1;
  if (match[1] === 'Duration') close(state, number);
}

/** Skipped tests are not part of uvu's total. Totals that miss the marks above were printed by a test. */
function close(state: State, number: number): void {
  const [total = 0, passed = 0, skipped = 0] = state.values;
  const draft = state.draft ?? createDraft('uvu', number - 3);
  const counts = { passed, failed: total - passed, skipped };
  if (total !== state.marks && state.draft !== null) {
    if (counts.failed >= draft.failed) setCounts(draft, counts, number);
    state.fallback = draft;
    return;
  }
  setCounts(draft, counts, number);
  draft.incomplete = state.marks === 0 && total > 0 ? false : state.failures > counts.failed;
  if (total > 0 && state.marks === 0) {
    // Totals above any mark: a test of the first suite may have printed them.
    state.fallback = draft;
    return;
  }
  state.finished.push(draft);
  reset(state);
}

function reset(state: State): void {
  state.draft = null;
  state.marks = 0;
  state.failures = 0;
  state.fallback = null;
}

function end(state: State): readonly Draft[] {
  const { finished, draft, fallback } = state;
  if (draft !== null) {
    draft.incomplete = true;
    if (fallback === null) draft.failed = state.failures;
    finished.push(draft);
  } else if (fallback !== null) finished.push(fallback);
  return finished;
}

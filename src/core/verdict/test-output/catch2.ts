import { addFailure, createDraft, type Draft, setCounts } from './draft.ts';
import type { Reader, Runner } from './runner.ts';

/** The console and compact reporters of Catch2, version 2 and 3, which also doctest-like forks print. */
export const catch2: Runner = { name: 'catch2', starts: '=-APtNF', read };

type State = {
  readonly finished: Draft[];
  draft: Draft | null;
  /** Where the rule above the closing counts stands. */
  rule: number;
  /** Lines of the title between two rules, then the failure below it. */
  title: string[] | null;
  name: string;
  message: string[] | null;
};

function read(): Reader {
  const state: State = {
    finished: [],
    draft: null,
    rule: -1,
    title: null,
    name: '',
    message: null,
  };
  return {
    line: (text, number) => readLine(state, text, number),
    isIdle: () => state.title === null && state.name === '' && state.draft === null,
    end: () => {
      const { draft, finished } = state;
      if (draft === null) return finished;
      draft.incomplete = true;
      draft.failed = draft.failures.length;
      return [...finished, draft];
    },
  };
}

function readLine(state: State, text: string, number: number): void {
  if (text.length === 79 && /^=+$/.test(text)) state.rule = number;
  const isBelowRule = state.rule > 0 && number <= state.rule + 6;
  if (isBelowRule && text.startsWith('All tests passed (')) {
    const match = /^All tests passed \(\d+ assertions? in (\d+) test cases?\)$/.exec(text);
    if (match !== null)
      return close(state, { passed: Number(match[1]), failed: 0, skipped: 0 }, number);
  }
  if (isBelowRule && text.startsWith('test cases:')) return closeByCounts(state, text, number);
  if (isBelowRule && text === 'No tests ran') {
    if (state.draft === null) return close(state, { passed: 0, failed: 0, skipped: 0 }, number);
  }
  if (/^(?:Passed|Failed) /.test(text)) return closeCompact(state, text, number);
  readReport(state, text, number);
}

function close(
  state: State,
  counts: { readonly passed: number; readonly failed: number; readonly skipped: number },
  number: number,
): void {
  endMessage(state);
  const draft = state.draft ?? createDraft('catch2', number);
  draft.isSolid = true;
  draft.anchored ||= state.rule > 0;
  state.rule = -1;
  setCounts(draft, counts, number);
  draft.incomplete = counts.failed === 0 && counts.skipped === 0 && draft.failures.length > 0;
  // A test that may fail is reported like any other.
  if (counts.failed < draft.failures.length && counts.skipped > 0)
    draft.failures.length = counts.failed;
  state.finished.push(draft);
  state.draft = null;
}

/** `test cases: 7 | 3 passed | 3 failed | 1 failed as expected` */
function closeByCounts(state: State, text: string, number: number): void {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const part of text.split('|').slice(1)) {
    const match = /^ *(\d+) (passed|failed|failed as expected|skipped) *$/.exec(part);
    if (match === null) return;
    if (match[2] === 'passed') counts.passed = Number(match[1]);
    else if (match[2] === 'failed') counts.failed = Number(match[1]);
    else counts.skipped += Number(match[1]);
  }
  close(state, counts, number);
}

/** `Passed both 2 test cases with 3 assertions.`, `Failed 3 test cases, failed 3 assertions.` */
function closeCompact(state: State, text: string, number: number): void {
  const match =
    /^(Passed|Failed) (?:all |both )?(\d+) test cases?(?:,? (?:with|failed) \d+ assertions?(?: \(.*\))?)?\.$/.exec(
      text,
    );
  if (match === null) return;
  const count = Number(match[2]);
  const isPassed = match[1] === 'Passed';
  close(state, { passed: isPassed ? count : 0, failed: isPassed ? 0 : count, skipped: 0 }, number);
}

/** A title between rules, its place, and `a.cpp:7: FAILED:` with the reason below it */
function readReport(state: State, text: string, number: number): void {
  if (text.startsWith('-----') && /^-{60,}$/.test(text)) {
    endMessage(state);
    if (state.title === null) state.title = [];
    else {
      state.name = state.title.map((line) => line.trim()).join(' > ');
      state.title = null;
    }
    return;
  }
  if (state.title !== null) {
    if (state.title.length < 20 && text !== '') state.title.push(text);
    else state.title = null;
    return;
  }
  if (text.endsWith(': FAILED:') && state.name !== '') {
    state.draft ??= createDraft('catch2', number);
    state.draft.anchored = true;
    state.draft.last = number;
    endMessage(state);
    state.message = [];
    return;
  }
  if (state.message === null) return;
  if (text === '' || state.message.length >= 30) endMessage(state);
  else state.message.push(text.trim());
}

function endMessage(state: State): void {
  if (state.message !== null && state.draft !== null)
    addFailure(state.draft, state.name, state.message.join('\n'));
  state.message = null;
}

import { addError, addFailure, createDraft, type Draft, setCounts } from './draft.ts';
import type { Reader, Runner } from './runner.ts';

/** The base and terse reporters of node-tap 14 to 21, which count assertions. */
export const nodeTap: Runner = { name: 'tap', starts: '✖SAPF\u200B', read };

type Counts = { passed: number; failed: number; skipped: number };

type State = {
  readonly finished: Draft[];
  /** The lines `Suites:` and `Asserts:` stand together, in either order. */
  suites: { readonly line: number; readonly failed: number } | null;
  asserts: { readonly line: number; readonly counts: Counts } | null;
  first: number;
  readonly failures: Set<string>;
};

function read(): Reader {
  const state: State = { finished: [], suites: null, asserts: null, first: 0, failures: new Set() };
  return {
    line: (text, number) => readLine(state, text, number),
    isIdle: () => true,
    end: () => state.finished,
  };
}

function readLine(state: State, text: string, number: number): void {
  const first = text.charCodeAt(0);
  if (first === 0x2716 || (first === 0x20 && text.charCodeAt(1) === 0x2716)) {
    // Linters mark their problems alike, but print no files with counts before.
    if (state.first > 0 && state.failures.size < 1000) state.failures.add(nameOf(text));
    return;
  }
  if (/^\u200B? (?:PASS|FAIL) \u200B? ?\S+\.\w+ \d/.test(text) && state.first === 0)
    state.first = number;
  if (first !== 0x53 && first !== 0x41) return;
  if (text.startsWith('Suites: ')) {
    state.suites = { line: number, failed: countsOf(text).failed };
  } else if (text.startsWith('Asserts: ')) {
    state.asserts = { line: number, counts: countsOf(text) };
  } else return;
  const { suites, asserts } = state;
  if (suites !== null && asserts !== null && Math.abs(suites.line - asserts.line) <= 6)
    close(state, suites.failed, asserts.counts, number);
}

/** `✖ throws > boom mixed.test.cjs:14:9` */
function nameOf(text: string): string {
  return text
    .slice(text.indexOf(' ', 1))
    .trim()
    .replace(/ \S+:\d+:\d+$/, '');
}

/** `Asserts:  2 pass  2 fail  1 skip  1 todo  4 of 6 complete`, of older releases `2 failed, 2 passed, of 6` */
function countsOf(text: string): Counts {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const match of text.matchAll(/(\d{1,9}) (pass|fail|skip|todo)/g)) {
    if (match[2] === 'pass') counts.passed += Number(match[1]);
    else if (match[2] === 'fail') counts.failed += Number(match[1]);
    else counts.skipped += Number(match[1]);
  }
  return counts;
}

function close(state: State, failedSuites: number, counts: Counts, number: number): void {
  const draft = createDraft('tap', state.first || number - 1);
  draft.anchored = state.first > 0;
  draft.isSolid = true;
  setCounts(draft, counts, number);
  for (const name of state.failures) addFailure(draft, name, '');
  if (failedSuites > 0 && counts.failed === 0)
    addError(draft, `${failedSuites} test files failed to run`);
  draft.incomplete = counts.failed === 0 && state.failures.size > 0;
  state.finished.push(draft);
  state.suites = null;
  state.asserts = null;
  state.first = 0;
  state.failures.clear();
}

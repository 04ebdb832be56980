import { addError, addFailure, addTest, createDraft, type Draft, setCounts } from './draft.ts';
import type { Reader, Runner } from './runner.ts';
import type { TestStatus } from './test-run.ts';

/** `dotnet test` of VSTest, one run for each project, and of Microsoft.Testing.Platform and the terminal logger. */
export const dotnet: Runner = { name: 'dotnet test', starts: 'PFSTNpfs', read };

type Block = { readonly line: number; last: number; readonly counts: Map<string, number> };

type State = {
  readonly finished: Draft[];
  draft: Draft | null;
  /** `Total tests: 3` or `Test run summary: …` with its counts below. */
  block: Block | null;
  failure: { readonly name: string; readonly lines: string[]; isMessage: boolean } | null;
};

function read(): Reader {
  const state: State = { finished: [], draft: null, block: null, failure: null };
  return {
    line: (text, number) => readLine(state, text, number),
    isIdle: () => state.block === null && state.failure === null,
    end: () => {
      endFailure(state);
      closeBlock(state);
      const { draft, finished } = state;
      if (draft === null || !draft.anchored) return finished;
      draft.incomplete = true;
      return [...finished, draft];
    },
  };
}

function readLine(state: State, text: string, number: number): void {
  if (state.block !== null && !readBlock(state, state.block, text, number)) closeBlock(state);
  const first = text.trimStart();
  if (/^(?:Passed|Failed|Skipped)! +- Failed:/.test(first))
    return readOneLine(state, first, number);
  if (first.startsWith('Total tests: ')) return startTotal(state, first, number);
  if (first.startsWith('Test summary: ')) return readSummary(state, first, number);
  if (first.startsWith('Test run summary: ')) {
    state.block = { line: number, last: number, counts: new Map() };
    return;
  }
  if (/^(?:Starting test execution, please wait|Test run for .*\.dll)/.test(first)) {
    draftAt(state, number).anchored = true;
    return;
  }
  if (/^(?:The active test run was aborted|Test Run Aborted)/.test(first))
    addError(draftAt(state, number), text);
  if (/^No test (?:is available in |matches the given )/.test(first))
    draftAt(state, number).anchored = true;
  readDetail(state, text, number);
}

function draftAt(state: State, number: number): Draft {
  return (state.draft ??= createDraft('dotnet test', number));
}

/** `Failed!  - Failed:     1, Passed:     2, Skipped:     0, Total:     3, Duration: 5 ms - a.dll (net8.0)` */
function readOneLine(state: State, text: string, number: number): void {
  const counts = countsOf(text.slice(text.indexOf('Failed:')).split(', '));
  if (counts.has('passed')) close(state, counts, number);
}

function countsOf(parts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const part of parts) {
    const match = /^ *([A-Za-z ]+): +(\d+)\.? *$/.exec(part);
    if (match !== null) counts.set((match[1] ?? '').toLowerCase(), Number(match[2]));
  }
  return counts;
}

/** `Total tests: 3`, with the counts below it or, in old releases, behind it */
function startTotal(state: State, text: string, number: number): void {
  const counts = countsOf(text.split(/\. (?=[A-Z])/));
  if (counts.size > 1) return close(state, counts, number);
  if (counts.size === 1) state.block = { line: number, last: number, counts };
}

/** `Test summary: total: 3, failed: 0, succeeded: 3, skipped: 0, duration: 1.2s` */
function readSummary(state: State, text: string, number: number): void {
  const counts = countsOf(text.slice('Test summary: '.length).split(', '));
  if (counts.has('total')) close(state, counts, number);
}

/** `     Passed: 2`, `  succeeded: 2`; false when the block is over. */
function readBlock(_state: State, block: Block, text: string, number: number): boolean {
  const match =
    /^ *(total|passed|failed|succeeded|skipped|error|duration|Total time|Passed|Failed|Skipped): +(\d+)/.exec(
      text,
    );
  if (match === null) return text.trim() === '' && number === block.last + 1;
  const key = (match[1] ?? '').toLowerCase();
  if (key !== 'duration' && key !== 'total time') block.counts.set(key, Number(match[2]));
  block.last = number;
  return true;
}

function closeBlock(state: State): void {
  const { block } = state;
  state.block = null;
  if (block !== null && (block.counts.has('total') || block.counts.has('total tests')))
    close(state, block.counts, block.last);
}

function close(state: State, counts: ReadonlyMap<string, number>, number: number): void {
  endFailure(state);
  const draft = draftAt(state, number);
  const of = (key: string) => counts.get(key) ?? 0;
  const total = counts.get('total') ?? of('total tests');
  const failed = of('failed') + of('error');
  const skipped = of('skipped');
  const passed = counts.get('passed') ?? counts.get('succeeded') ?? total - failed - skipped;
  setCounts(draft, { passed, failed, skipped }, number);
  draft.isSolid = true;
  draft.anchored ||= draft.tests.length > 0;
  draft.incomplete =
    total !== passed + failed + skipped || (failed === 0 && draft.failures.length > 0);
  state.finished.push(draft);
  state.draft = null;
  state.block = null;
}

const words: Readonly<Record<string, TestStatus>> = {
  Passed: 'passed',
  passed: 'passed',
  Failed: 'failed',
  failed: 'failed',
  Skipped: 'skipped',
  skipped: 'skipped',
};

/** `  Failed Name.Space.Test [5 ms]`, `  Error Message:`, the message, `  Stack Trace:` */
function readDetail(state: State, text: string, number: number): void {
  const { failure } = state;
  if (failure !== null) {
    if (/^ *Stack Trace:/.test(text) || failure.lines.length >= 30) return endFailure(state);
    if (/^ *Error Message:/.test(text)) failure.isMessage = true;
    else if (failure.isMessage) failure.lines.push(text.trim());
    if (failure.isMessage) return;
  }
  const match =
    /^ *(Passed|Failed|Skipped|passed|failed|skipped) (\S.*?)(?: \[(?:< )?(\d+) (ms|s)\]| \((\d+)(ms|s)\))$/.exec(
      text,
    );
  if (match === null) return;
  endFailure(state);
  const draft = draftAt(state, number);
  const status = words[match[1] ?? ''] ?? 'failed';
  const value = Number(match[3] ?? match[5] ?? 0) * ((match[4] ?? match[6]) === 's' ? 1000 : 1);
  addTest(draft, match[2] ?? '', status, value);
  draft.anchored = true;
  draft.last = number;
  if (status === 'failed') state.failure = { name: match[2] ?? '', lines: [], isMessage: false };
}

function endFailure(state: State): void {
  const { failure, draft } = state;
  state.failure = null;
  if (failure !== null && draft !== null) addFailure(draft, failure.name, failure.lines.join('\n'));
}

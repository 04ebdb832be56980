import { addFailure, addTest, createDraft, type Draft, maxDetails, setCounts } from './draft.ts';
import type { Reader, Runner } from './runner.ts';
import type { TestStatus } from './test-run.ts';

/** CTest with any verbosity. What its tests print, other runners' output included, lies inside its run. */
export const ctest: Runner = { name: 'ctest', starts: 'T0123456789', read };

type Run = {
  readonly draft: Draft;
  /** How each test ended, by its number; a repeated test counts with its last result. */
  readonly results: Map<number, TestStatus>;
  summary: { readonly failed: number; readonly total: number; readonly line: number } | null;
  list: 'failed' | 'not-run' | null;
  isEmpty: boolean;
};

function read(): Reader {
  const runs: Run[] = [];
  return {
    line: (text, number) => {
      if (text.startsWith('Test project ')) {
        runs.push(createRun(number, true));
        return;
      }
      let run = runs.at(-1);
      if (run === undefined) {
        if (!isSummary(text)) return;
        run = createRun(number, false);
        runs.push(run);
      }
      readLine(run, text, number);
    },
    isIdle: () => runs.length === 0,
    end: () => runs.filter(isReal).map(finish),
  };
}

function createRun(line: number, isAnchored: boolean): Run {
  const draft = createDraft('ctest', line);
  draft.anchored = isAnchored;
  return { draft, results: new Map(), summary: null, list: null, isEmpty: false };
}

function isReal({ results, summary, isEmpty }: Run): boolean {
  return results.size > 0 || summary !== null || isEmpty;
}

const percent = /^\d+% tests passed, (\d+) tests? failed out of (\d+)$/;

function isSummary(text: string): boolean {
  return text.includes('% tests passed, ') && percent.test(text);
}

function readLine(run: Run, text: string, number: number): void {
  const first = text.trimStart().charCodeAt(0);
  if (first >= 0x30 && first <= 0x39) {
    const summary = isSummary(text) ? percent.exec(text) : null;
    if (summary !== null) {
      run.summary = { failed: Number(summary[1]), total: Number(summary[2]), line: number };
      return;
    }
    readTest(run, text, number);
  }
  if (text === 'No tests were found!!!') run.isEmpty = true;
  else if (text.startsWith('The following tests did not run:')) run.list = 'not-run';
  else if (text.startsWith('The following tests FAILED:')) run.list = 'failed';
  else if (run.list !== null) readListed(run, run.list, text, number);
}

/** ` 2/10 Test  #2: gtest.mixed ......***Failed    0.00 sec` */
function readTest(run: Run, text: string, number: number): void {
  if (!text.includes('Test') || !text.includes('#')) return;
  const match = /^ *\d+\/\d+ +Test +#(\d+): (.*?) ?\.+ *(Passed|\*\*\*\S.*?) +(\d+\.\d+) sec/.exec(
    text,
  );
  if (match === null) return;
  const word = match[3] ?? '';
  const status = statusOf(word);
  const id = Number(match[1]);
  if (run.results.size < 100_000 || run.results.has(id)) run.results.set(id, status);
  addTest(run.draft, match[2] ?? '', status, Number(match[4]) * 1000);
  if (status === 'failed') addFailure(run.draft, match[2] ?? '', word.replaceAll('*', ''));
  run.draft.last = number;
}

function statusOf(word: string): TestStatus {
  if (word === 'Passed') return 'passed';
  return /^\*\*\*(?:Skipped|Not Run \(Disabled\))/.test(word) ? 'skipped' : 'failed';
}

/** `	  6 - plain.disabled (Disabled)` */
function readListed(run: Run, list: 'failed' | 'not-run', text: string, number: number): void {
  const match = /^\s+(\d+) - (.*) \(([^()]+)\)(?: .*)?$/.exec(text);
  if (match === null) {
    if (text.startsWith('Errors while running')) run.list = null;
    return;
  }
  run.draft.last = number;
  const id = Number(match[1]);
  if (list === 'not-run') run.results.set(id, 'skipped');
  else if (run.draft.failures.length < maxDetails)
    addFailure(run.draft, match[2] ?? '', match[3] ?? '');
}

/** Disabled tests are not among those CTest counts in its summary, skipped ones are. */
function finish(run: Run): Draft {
  const { draft, results, summary } = run;
  const count = (wanted: TestStatus) =>
    [...results.values()].filter((status) => status === wanted).length;
  const skipped = count('skipped');
  if (summary === null) {
    draft.incomplete = results.size > 0;
    setCounts(draft, { passed: count('passed'), failed: count('failed'), skipped }, draft.last);
    return draft;
  }
  const disabled = Math.max(0, results.size - summary.total);
  const passed = summary.total - summary.failed - (skipped - disabled);
  setCounts(draft, { passed, failed: summary.failed, skipped }, summary.line);
  draft.incomplete = summary.failed === 0 && count('failed') > 0;
  return draft;
}

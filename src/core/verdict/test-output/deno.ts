import { addError, addFailure, addTest, createDraft, type Draft, setCounts } from './draft.ts';
import type { Reader, Runner } from './runner.ts';
import type { TestStatus } from './test-run.ts';

/** `deno test` with its pretty and dot reporters; steps are parts of their test. */
export const deno: Runner = { name: 'deno', starts: 'rUoF-E', read };

type Summary = {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly line: number;
};

type Run = {
  readonly draft: Draft;
  /** How many tests the files announced. */
  announced: number;
  uncaught: number;
  printedFailed: number;
  summary: Summary | null;
  isSure: boolean;
  failure: { readonly name: string; readonly lines: string[] } | null;
};

type State = { readonly runs: Run[]; isOutput: boolean };

function read(): Reader {
  const state: State = { runs: [], isOutput: false };
  return {
    line: (text, number) => readLine(state, text, number),
    isIdle: () => state.runs.length === 0 && !state.isOutput,
    end: () =>
      state.runs
        .filter(({ draft, summary }) => draft.anchored || summary !== null)
        .map((run) => finish(run)),
  };
}

function createRun(line: number): Run {
  return {
    draft: createDraft('deno', line),
    announced: 0,
    uncaught: 0,
    printedFailed: 0,
    summary: null,
    isSure: false,
    failure: null,
  };
}

function readLine(state: State, text: string, number: number): void {
  if (text.startsWith('-----') && text.includes('output')) {
    // What a test prints stands between two such lines.
    if (/^-+ (?:post-test |pre-test )?output -+$/.test(text)) state.isOutput = true;
    else if (/^-+ (?:post-test |pre-test )?output end -+$/.test(text)) state.isOutput = false;
    return;
  }
  const running = text.startsWith('running ') ? /^running (\d+) tests? from \S/.exec(text) : null;
  if (running !== null) {
    state.isOutput = false;
    openRun(state, number).announced += Number(running[1]);
    return;
  }
  if (state.isOutput) return;
  if (text.startsWith('Uncaught error from ')) {
    const run = openRun(state, number);
    run.uncaught++;
    addError(run.draft, text.replace(/ FAILED$/, ''));
    return;
  }
  if (text.trim() === 'ERRORS' && state.runs.at(-1)?.isSure !== false) openRun(state, number);
  const isOpen = state.runs.at(-1)?.isSure === false;
  const summary =
    isOpen && text.startsWith('test result: ')
      ? readOldSummary(text, number)
      : readSummary(text, number);
  if (summary !== null) return takeSummary(state, summary);
  const run = state.runs.at(-1);
  if (run !== undefined) readDetail(run, text, number);
}

/** Files belong to one run until its summary. */
function openRun({ runs }: State, number: number): Run {
  const last = runs.at(-1);
  if (last !== undefined && !last.isSure) {
    last.draft.anchored = true;
    return last;
  }
  const run = createRun(number);
  run.draft.anchored = true;
  runs.push(run);
  return run;
}

/** `FAILED | 4 passed (3 steps) | 2 failed (1 step) | 1 ignored | 4 filtered out (290ms)` */
function readSummary(text: string, line: number): Summary | null {
  if (!text.startsWith('ok | ') && !text.startsWith('FAILED | ')) return null;
  const counts = { passed: 0, failed: 0, skipped: 0, line };
  const parts = text.replace(/ \([\d.hms:µ ]+\)$/, '').split(' | ');
  for (const part of parts.slice(1)) {
    const match = /^(\d+) (passed|failed|ignored|measured|filtered out)(?: \(\d+ steps?\))?$/.exec(
      part.trim(),
    );
    if (match === null) return null;
    const count = Number(match[1]);
    if (match[2] === 'passed' || match[2] === 'measured') counts.passed += count;
    else if (match[2] === 'failed') counts.failed += count;
    else if (match[2] === 'ignored') counts.skipped += count;
  }
  return parts.length > 2 ? counts : null;
}

/** `test result: FAILED. 1 passed (2 steps); 1 failed; 1 ignored; 0 measured; 0 filtered out (10ms)` of deno 1.0 to 1.20 */
function readOldSummary(text: string, line: number): Summary | null {
  const match = /^test result: (ok|FAILED)\. (.*)$/.exec(text);
  return match === null
    ? null
    : readSummary(`${match[1]} | ${(match[2] ?? '').split('; ').join(' | ')}`, line);
}

/** One that adds up to the announced tests is real; of others the worse one holds. */
function takeSummary({ runs }: State, summary: Summary): void {
  let run = runs.at(-1);
  if (run === undefined || (run.summary !== null && run.isSure && run.announced === 0)) {
    run = createRun(summary.line);
    runs.push(run);
  }
  if (run.isSure) return;
  const isSure =
    run.announced === 0 ||
    summary.passed + summary.failed + summary.skipped === run.announced + run.uncaught;
  if (isSure || run.summary === null || summary.failed >= run.summary.failed) run.summary = summary;
  run.isSure = isSure;
}

const statuses: Readonly<Record<string, TestStatus>> = {
  ok: 'passed',
  FAILED: 'failed',
  ignored: 'skipped',
};

/** `adds ... ok (2ms)`, a step indented below its test, or the report of a failure. */
function readDetail(run: Run, text: string, number: number): void {
  const { draft } = run;
  const error = text.includes(' => ')
    ? /^(.+) => \S+:\d+:\d+$/.exec(text)
    : /^(.+ \(uncaught error\))$/.exec(text);
  if (error !== null) {
    endFailure(run);
    run.failure = { name: error[1] ?? '', lines: [] };
    return;
  }
  if (run.failure !== null) {
    if (text === '' || /^ +at |^ +\^/.test(text)) endFailure(run);
    else if (run.failure.lines.length < 30) run.failure.lines.push(text.replace(/^error: /, ''));
    return;
  }
  if (!text.includes(' ... ') || text.startsWith(' ')) return;
  const match =
    /^(.+) \.\.\. (ok|FAILED|ignored)(?: \(due to [^()]*\))?(?: \(([\d.]+)(µs|ms|s|m)\))?$/.exec(
      text,
    );
  if (match === null) return;
  draft.last = Math.max(draft.last, number);
  const status = statuses[match[2] ?? ''] ?? 'failed';
  if (status === 'failed') run.printedFailed++;
  const factor = { µs: 0.001, ms: 1, s: 1000, m: 60_000 }[match[4] ?? ''] ?? 0;
  addTest(draft, match[1] ?? '', status, factor === 0 ? null : Number(match[3]) * factor);
}

function endFailure(run: Run): void {
  if (run.failure !== null) addFailure(run.draft, run.failure.name, messageOf(run.failure.lines));
  run.failure = null;
}

/** Below the message stands the source line, above a caret. */
function messageOf(lines: readonly string[]): string {
  return (lines.length > 1 ? lines.slice(0, -1) : lines).join('\n');
}

function finish(run: Run): Draft {
  endFailure(run);
  const { draft, summary } = run;
  if (summary === null) {
    draft.incomplete = true;
    for (const { status } of draft.tests) {
      if (status === 'passed') draft.passed++;
      else if (status === 'skipped') draft.skipped++;
      else draft.failed++;
    }
    return draft;
  }
  setCounts(draft, summary, summary.line);
  draft.incomplete = !run.isSure || run.printedFailed > summary.failed;
  return draft;
}

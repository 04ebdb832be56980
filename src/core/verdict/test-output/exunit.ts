import { addReport, addTest, createDraft, type Draft, setCounts } from './draft.ts';
import type { Reader, Runner } from './runner.ts';
import type { TestStatus } from './test-run.ts';

/** ExUnit's formatter, with and without `--trace`. */
export const exunit: Runner = {
  name: 'exunit',
  starts: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ.*?0123456789',
  read,
};

type Run = {
  readonly draft: Draft;
  finishedLine: number;
  failure: { readonly name: string; readonly lines: string[] } | null;
  module: string;
  /** Where dots were printed last. */
  marksLine: number;
};

function read(): Reader {
  const finished: Draft[] = [];
  let run: Run | null = null;
  return {
    line: (text, number) => {
      if (/^Running ExUnit with seed: \d/.test(text)) {
        if (run?.draft.anchored === true) finished.push(cutOff(run));
        run = createRun(number);
        run.draft.anchored = true;
        return;
      }
      if (/^Finished in [\d.]+ seconds(?: \(.*\))?$/.test(text)) {
        run ??= createRun(number);
        run.finishedLine = number;
        return;
      }
      if (run !== null && number === run.finishedLine + 1 && close(run, text, number)) {
        finished.push(run.draft);
        run = null;
        return;
      }
      run = readDetail(run, text, number);
    },
    isIdle: () => run === null,
    end: () => (run?.draft.anchored === true ? [...finished, cutOff(run)] : finished),
  };
}

function createRun(line: number): Run {
  return {
    draft: createDraft('exunit', line),
    finishedLine: -10,
    failure: null,
    module: '',
    marksLine: -10,
  };
}

/** `2 doctests, 7 tests, 3 failures, 1 excluded, 1 invalid, 1 skipped`; excluded tests are among the tests. */
function close(run: Run, text: string, number: number): boolean {
  const counts = new Map<string, number>();
  for (const part of text.split(', ')) {
    const match = /^(\d+) ([a-z]+?)s?$/.exec(part);
    if (match === null) return false;
    counts.set(match[2] ?? '', Number(match[1]));
  }
  const failures = counts.get('failure');
  // RSpec counts examples below the same line.
  if (failures === undefined || counts.has('example')) return false;
  endFailure(run);
  let tests = 0;
  for (const [kind, count] of counts) if (!outcomes.has(kind)) tests += count;
  const failed = failures + (counts.get('invalid') ?? 0);
  const skipped = (counts.get('skipped') ?? 0) + (counts.get('excluded') ?? 0);
  setCounts(run.draft, { passed: tests - failed - skipped, failed, skipped }, number);
  run.draft.anchored ||= run.marksLine >= run.finishedLine - 3;
  if (!run.draft.anchored) run.draft.first = run.finishedLine;
  run.draft.incomplete = failed === 0 && run.draft.failures.length > 0;
  return true;
}

const outcomes: ReadonlySet<string> = new Set(['failure', 'invalid', 'skipped', 'excluded']);

function readDetail(current: Run | null, text: string, number: number): Run | null {
  if (current?.failure != null && readFailure(current, current.failure, text)) return current;
  const failure =
    /^ {2}\d+\) ((?:test|doctest|property) .* \([\w.]+\)|[\w.]+: failure on setup_all.*)$/.exec(
      text,
    )?.[1];
  if (failure !== undefined) {
    const run = current ?? createRun(number);
    endFailure(run);
    run.draft.anchored = true;
    run.failure = { name: failure, lines: [] };
    return run;
  }
  const module = text.endsWith(']') ? /^([A-Z][\w.]*) \[[^\]]*\]$/.exec(text)?.[1] : undefined;
  if (module !== undefined) {
    const run = current ?? createRun(number);
    run.module = module;
    return run;
  }
  if (/^[.*?]+$/.test(text)) {
    // Other runners print dots as well: only those right above the end count.
    if (current === null) return { ...createRun(number), marksLine: number };
    if (!current.draft.anchored) current.draft.first = number;
    current.marksLine = number;
    return current;
  }
  // The dots above were another runner's.
  if (current?.draft.anchored === false && /^(?:Ran \d|\d+ examples?, )/.test(text)) return null;
  if (current !== null && text.startsWith('  * ')) readTrace(current, text, number);
  return current;
}

/** `  * test adds [L#6]  * test adds (0.00ms) [L#6]`: the line is drawn again when the test ends. */
function readTrace(run: Run, text: string, number: number): void {
  const last = text.slice(text.lastIndexOf('  * ') + 4);
  const match = /^(\S.*) \(([\d.]+ms|skipped|excluded)\) \[L#\d+\]$/.exec(last);
  if (match === null) return;
  const isSkipped = match[2] === 'skipped' || match[2] === 'excluded';
  const status: TestStatus = isSkipped ? 'skipped' : 'passed';
  run.draft.anchored = true;
  run.draft.last = number;
  const durationMs = isSkipped ? null : Number.parseFloat(match[2] ?? '0');
  addTest(run.draft, `${match[1]} (${run.module})`, status, durationMs);
}

/** The file, then the message up to the code or the stack; false when the line is not part of it. */
function readFailure(run: Run, failure: NonNullable<Run['failure']>, text: string): boolean {
  if (text === '' || /^ {5}(?:code|stacktrace):/.test(text) || failure.lines.length >= 30) {
    endFailure(run);
    return text !== '';
  }
  if (!text.startsWith('     ')) {
    failure.lines.push(text);
    return true;
  }
  if (!/^ {5}\S+\.exs?:\d+$/.test(text)) failure.lines.push(text.slice(5));
  return true;
}

function endFailure(run: Run): void {
  const { failure, draft } = run;
  run.failure = null;
  if (failure === null) return;
  addReport(draft, failure.name, failure.lines.join('\n'));
  const index = draft.tests.findLastIndex(({ name }) => name === failure.name);
  const test = draft.tests[index];
  // The trace does not say how a test ended; its report stands below.
  if (test !== undefined && index >= draft.tests.length - 5)
    draft.tests[index] = { ...test, status: 'failed' };
}

function cutOff(run: Run): Draft {
  endFailure(run);
  run.draft.incomplete = true;
  run.draft.failed = run.draft.failures.length;
  return run.draft;
}

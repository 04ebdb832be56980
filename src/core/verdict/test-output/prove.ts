import { addError, addReport, addTest, createDraft, type Draft, setCounts } from './draft.ts';
import type { Reader, Runner } from './runner.ts';
import { readTapPoint } from './tap-line.ts';

/** Perl's prove, quiet to verbose. The TAP that `-v` shows lies inside its run. */
export const prove: Runner = { name: 'prove', read };

type Run = {
  readonly draft: Draft;
  /** Points marked as skipped or todo, shown by `-v`. */
  shownSkips: number;
  /** `(less 2 skipped subtests: 2 okay)`, shown below files that fail. */
  toldSkips: number;
  /** Todo points that passed: `-v` marks them like those that failed. */
  todoPasses: number;
  failed: number;
  /** Planned tests that did not run. Of a file that breaks off prove says "Failed 2/4 subtests", and counts 2. */
  missing: number;
  tests: number | null;
  /** The file of the closing report whose troubles are being read. */
  file: string;
  isReport: boolean;
  failure: { readonly name: string; readonly lines: string[] } | null;
};

function read(): Reader {
  const finished: Draft[] = [];
  let run: Run | null = null;
  return {
    line: (text, number) => {
      const result = text.startsWith('Result: ')
        ? /^Result: (PASS|FAIL|NOTESTS)$/.exec(text)?.[1]
        : undefined;
      if (result !== undefined && run !== null && run.tests !== null) {
        finished.push(close(run, run.tests, result, number));
        run = null;
        return;
      }
      run = readLine(run, text, number);
    },
    end: () => {
      if (run === null || !run.draft.anchored) return finished;
      endFailure(run);
      run.draft.incomplete = true;
      run.draft.failed = run.failed;
      return [...finished, run.draft];
    },
  };
}

function createRun(line: number): Run {
  return {
    draft: createDraft('prove', line),
    shownSkips: 0,
    toldSkips: 0,
    todoPasses: 0,
    failed: 0,
    missing: 0,
    tests: null,
    file: '',
    isReport: false,
    failure: null,
  };
}

function readLine(current: Run | null, text: string, number: number): Run | null {
  const diagnostic = /^# +Failed test '(.*)'$/.exec(text);
  if (diagnostic !== null) {
    const run = current ?? createRun(number);
    endFailure(run);
    run.failure = { name: diagnostic[1] ?? '', lines: [] };
    return run;
  }
  const file = text.includes('.. ')
    ? /^(?:\[\d\d:\d\d:\d\d\] )?(\S+) \.{2,} ?(.*)$/.exec(text)
    : null;
  if (file !== null && isFileEnd(file[2] ?? '')) return readFile(current, file, number);
  if (text === 'Test Summary Report') {
    const run = current ?? createRun(number);
    run.isReport = true;
    return run;
  }
  if (text.startsWith('Files=')) {
    const tests = /^Files=\d+, Tests=(\d+), /.exec(text)?.[1];
    if (tests !== undefined) {
      const run = current ?? createRun(number);
      run.tests = Number(tests);
      run.draft.isSolid = true;
      return run;
    }
  }
  if (current !== null) readDetail(current, text);
  return current;
}

/** What stands behind the dots; nothing when the file failed or shows its points below. */
function isFileEnd(rest: string): boolean {
  return /^(?:ok\b.*|skipped: .*|)$/.test(rest);
}

/** `t/pass.t ... ok`, `t/all.t .. skipped: no database`, `t/mixed.t .. ` */
function readFile(
  current: Run | null,
  [, name = '', rest = '']: RegExpExecArray,
  number: number,
): Run | null {
  const isPerl = /\.(?:t|pl|pm|sh|py|js|rb)$/.test(name);
  if (current === null && !isPerl) return null;
  const run = current ?? createRun(number);
  endFailure(run);
  if (isPerl) run.draft.anchored = true;
  run.draft.last = number;
  if (rest !== '') addTest(run.draft, name, rest.startsWith('ok') ? 'passed' : 'skipped');
  return run;
}

function readDetail(run: Run, text: string): void {
  const { failure } = run;
  if (failure !== null) {
    if (!text.startsWith('#')) endFailure(run);
    else if (failure.lines.length < 30 && !/^# +at /.test(text))
      failure.lines.push(text.slice(1).trim());
  }
  if (text.startsWith('Bailout called.')) addError(run.draft, text);
  if (run.isReport) return readReport(run, text);
  const less = text.includes('(less ')
    ? /^\s*\(less (\d+) skipped subtests?: \d+ okay\)$/.exec(text)
    : null;
  if (less !== null) run.toldSkips += Number(less[1]);
  const point = readTapPoint(text, 0);
  if (point !== null && point.number !== null && point.directive !== null) run.shownSkips++;
}

/** `t/mixed.t  (Wstat: 512 (exited 2) Tests: 6 Failed: 2)` and its troubles, indented */
function readReport(run: Run, text: string): void {
  const file = /^(\S.*?) +\(Wstat: .* Tests: \d+ Failed: (\d+)\)$/.exec(text);
  if (file !== null) {
    run.file = file[1] ?? '';
    run.failed += Number(file[2]);
    addTest(run.draft, run.file, 'failed');
    if (Number(file[2]) > 0) return;
    run.draft.tests.pop();
    return;
  }
  const todo = /^ {2}TODO passed: +([\d, -]+)$/.exec(text)?.[1];
  if (todo !== undefined) run.todoPasses += countOf(todo);
  if (!text.startsWith('  Parse errors: ')) return;
  addError(run.draft, `${run.file}: ${text.trim()}`);
  const plan = /Bad plan\. {1,2}You planned (\d{1,9}) tests? but ran (\d{1,9})\./.exec(text);
  if (plan !== null) run.missing += Math.max(0, Number(plan[1]) - Number(plan[2]));
}

/** How many numbers `2, 4-6` names. */
function countOf(list: string): number {
  return list.split(',').reduce((sum, part) => {
    const [from = 0, to = from] = part.split('-').map(Number);
    return sum + Math.max(1, to - from + 1);
  }, 0);
}

function endFailure(run: Run): void {
  const { failure } = run;
  run.failure = null;
  if (failure !== null) addReport(run.draft, failure.name, failure.lines.join('\n'));
}

function close(run: Run, tests: number, result: string, number: number): Draft {
  endFailure(run);
  const { draft, failed } = run;
  const skipped = Math.max(run.shownSkips - run.todoPasses, run.toldSkips);
  const counts = { passed: tests - failed - skipped, failed: failed + run.missing, skipped };
  setCounts(draft, counts, number);
  if (result === 'FAIL' && failed === 0 && draft.errors.length === 0)
    addError(draft, 'Result: FAIL');
  draft.incomplete = result === 'PASS' && failed > 0;
  return draft;
}

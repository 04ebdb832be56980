import {
  addError,
  addFailure,
  addTest,
  createDraft,
  type Draft,
  setCounts,
  takeWorse,
} from './draft.ts';
import type { Reader, Runner } from './runner.ts';
import type { TestStatus } from './test-run.ts';

/** PHPUnit 4 to 12 with its default and testdox printers, and ParaTest. */
export const phpunit: Runner = { name: 'phpunit', starts: 'PTFEW', read };

type Run = {
  readonly draft: Draft;
  /** Null when the header was not seen. */
  readonly version: number | null;
  /** `Time: …, Memory: …`: the verdict stands below. */
  hasTime: boolean;
  /** `FAILURES!` and the like: the counts stand on the next line. */
  verdict: { readonly text: string; readonly line: number } | null;
  /** Whether the list being read is of tests that failed. */
  isFailing: boolean;
  failure: { readonly name: string; readonly lines: string[] } | null;
  title: string;
  /** A title of the testdox printer stands behind an empty line. */
  isBehindGap: boolean;
  /** A failed test of the testdox printer, whose message stands below it. */
  testdox: { readonly name: string; readonly lines: string[] } | null;
};

function read(): Reader {
  const finished: Draft[] = [];
  let run: Run | null = null;
  return {
    line: (text, number) => {
      const version = /^(?:PHPUnit (\d+)\.\S+ by |ParaTest v?\d)/.exec(text);
      if (version !== null) {
        // ParaTest names PHPUnit below itself.
        if (run !== null && run.draft.tests.length + run.draft.failures.length > 0)
          finished.push(cutOff(run));
        run = createRun(number, version[1] === undefined ? null : Number(version[1]));
        return;
      }
      if (/^Time: .*, Memory: /.test(text)) {
        run ??= { ...createRun(number, null), hasTime: true };
        endTestdox(run);
        run.hasTime = true;
        return;
      }
      // The verdict of a run that a test seemed to have ended.
      if (run === null && finished.length > 0 && /^(?:FAILURES|ERRORS|WARNINGS)!$/.test(text))
        run = { ...createRun(number, null), hasTime: true };
      if (run === null) return;
      if (close(run, text, number)) {
        const before = finished.at(-1);
        if (run.draft.anchored || before === undefined || !before.anchored)
          finished.push(run.draft);
        else takeWorse(before, run.draft);
        run = null;
      } else readDetail(run, text, number);
    },
    isIdle: () => run === null,
    end: () => (run === null ? finished : [...finished, cutOff(run)]),
  };
}

function createRun(line: number, version: number | null): Run {
  const draft = createDraft('phpunit', line);
  draft.anchored = version !== null;
  return {
    draft,
    version,
    hasTime: false,
    verdict: null,
    isFailing: false,
    failure: null,
    title: '',
    isBehindGap: true,
    testdox: null,
  };
}

/** `OK (2 tests, 2 assertions)`, or a verdict with the counts below it; true when the run is over. */
function close(run: Run, text: string, number: number): boolean {
  if (text === 'No tests executed!') return true;
  if (!run.hasTime) return false;
  const ok = text.startsWith('OK (') ? /^OK \((\d+) tests?, \d+ assertions?\)$/.exec(text) : null;
  if (ok !== null) {
    endFailure(run);
    setCounts(run.draft, { passed: Number(ok[1]), failed: 0, skipped: 0 }, number);
    run.draft.incomplete = run.draft.failures.length > 0;
    return true;
  }
  if (/^(?:OK, but .*|FAILURES|ERRORS|WARNINGS)!$/.test(text)) {
    endFailure(run);
    run.verdict = { text, line: number };
    return false;
  }
  if (run.verdict?.line !== number - 1 || !text.startsWith('Tests: ')) return false;
  return takeCounts(run, run.verdict.text, text, number);
}

/** `Tests: 8, Assertions: 4, Errors: 1, Failures: 1, Warnings: 1, Skipped: 1, Incomplete: 1, Risky: 1.` */
function takeCounts(run: Run, verdict: string, text: string, number: number): boolean {
  const counts = new Map<string, number>();
  for (const part of text.replace(/\.$/, '').split(', ')) {
    const match = /^([A-Z][A-Za-z ]+): (\d+)$/.exec(part);
    if (match === null) return false;
    counts.set(match[1] ?? '', Number(match[2]));
  }
  const of = (key: string) => counts.get(key) ?? 0;
  // Until version 9 a warning is a result of its own and fails the run.
  const warnings = (run.version ?? 9) < 10 ? of('Warnings') : 0;
  const failed = of('Errors') + of('Failures') + warnings;
  const skipped = of('Skipped') + of('Incomplete');
  setCounts(run.draft, { passed: of('Tests') - failed - skipped, failed, skipped }, number);
  if (/^(?:FAILURES|ERRORS)!$/.test(verdict) && failed === 0) addError(run.draft, verdict);
  const isCut = !text.endsWith('.');
  run.draft.incomplete = isCut || (failed === 0 && run.draft.failures.length > 0);
  return true;
}

const marks: Readonly<Record<string, TestStatus>> = {
  '✔': 'passed',
  '✘': 'failed',
  '↩': 'skipped',
  '∅': 'skipped',
  '☢': 'passed',
};

function readDetail(run: Run, text: string, number: number): void {
  const { draft } = run;
  const list = /^There (?:was|were) \d+ (.*):$/.exec(text)?.[1];
  if (list !== undefined) {
    endFailure(run);
    const isWarning = list.startsWith('warning') && (run.version ?? 9) < 10;
    run.isFailing = /^(?:error|failure)s?$/.test(list) || isWarning;
    return;
  }
  const name = /^\d+\) (\S.*)$/.exec(text)?.[1];
  if (name !== undefined && run.hasTime) {
    endFailure(run);
    if (run.isFailing) run.failure = { name, lines: [] };
    return;
  }
  if (run.failure !== null) {
    if (text === '' || text === '--') endFailure(run);
    else if (run.failure.lines.length < 30) run.failure.lines.push(text);
    return;
  }
  if (/^(?:PHP )?Fatal error: /.test(text)) addError(draft, text);
  if (text.startsWith(' ')) {
    run.isBehindGap = false;
    return readTestdox(run, text, number);
  }
  if (run.isBehindGap && text !== '' && text.length < 200) run.title = text;
  run.isBehindGap = text === '';
}

function readTestdox(run: Run, text: string, number: number): void {
  const { testdox } = run;
  if (testdox !== null && /^ {3}[│┐├┊┴╵┘]/.test(text)) {
    const line = text.slice(5).trim();
    if (line !== '' && testdox.lines.length < 30) testdox.lines.push(line);
    return;
  }
  const mark = text[1] ?? '';
  const isWarning = mark === '⚠' && (run.version ?? 9) < 10;
  const status = text[2] === ' ' ? (isWarning ? 'failed' : marks[mark]) : undefined;
  if (status === undefined || run.hasTime) return;
  endTestdox(run);
  const name = `${run.title.replace(/ \(.*\)$/, '')} > ${text.slice(3).trim()}`;
  addTest(run.draft, name, status);
  if (status === 'failed') run.testdox = { name, lines: [] };
  run.draft.last = number;
}

/** The list of failures, if there is one, names them otherwise: then these are left out. */
function endTestdox(run: Run): void {
  const { testdox } = run;
  run.testdox = null;
  if (testdox !== null) addFailure(run.draft, testdox.name, testdox.lines.join('\n'));
}

function endFailure(run: Run): void {
  const { failure } = run;
  run.failure = null;
  if (failure !== null) addFailure(run.draft, failure.name, failure.lines.join('\n'));
}

function cutOff(run: Run): Draft {
  endFailure(run);
  const { draft } = run;
  draft.incomplete = true;
  draft.failed = draft.failures.length;
  return draft;
}

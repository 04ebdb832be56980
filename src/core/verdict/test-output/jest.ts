import {
  addError,
  addFailure,
  addReport,
  addTest,
  createDraft,
  type Draft,
  mergeInto,
} from './draft.ts';
import type { Reader, Runner } from './runner.ts';
import type { TestStatus } from './test-run.ts';

/** The default and verbose reporters of jest. */
export const jest: Runner = { name: 'jest', starts: 'PFTN', read };

type Counts = {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly total: number;
};

/** A run being read. jest prints no header, so a run is what stands before its summary. */
type Body = {
  readonly draft: Draft;
  files: number;
  failedFiles: number;
  file: string | null;
  /** The end of the report may name the failing files a second time. */
  isRecap: boolean;
  readonly titles: { readonly indent: number; readonly name: string }[];
};

type Failure = {
  readonly draft: Draft;
  readonly name: string;
  readonly file: string | null;
  readonly isRecap: boolean;
  readonly lines: string[];
};

function read(): Reader {
  const finished: Body[] = [];
  let body: Body | null = null;
  let suites: { readonly line: number; readonly counts: Counts | null } = {
    line: -1,
    counts: null,
  };
  let failure: Failure | null = null;

  const endFailure = (): void => {
    if (failure !== null) reportFailure(failure);
    failure = null;
  };

  return {
    line: (text, number) => {
      if (failure !== null && !collect(failure.lines, text)) endFailure();
      const file = /^ ?(PASS|FAIL) +(\S.*)$/.exec(text);
      if (file !== null && isTestFile(file[2] ?? '')) {
        body ??= createBody(number);
        return enterFile(body, file[1] === 'FAIL', file[2] ?? '', number);
      }
      if (text.startsWith('Test Suites: ')) {
        suites = { line: number, counts: readCounts(text) };
        return;
      }
      if (text.startsWith('Tests: ') && suites.line === number - 1) {
        const tests = readCounts(text);
        if (suites.counts === null || tests === null) return;
        closeBody(finished, body ?? createBody(suites.line), suites.counts, tests, number);
        body = null;
        return;
      }
      if (body === null) {
        if (text.startsWith('No tests found, exiting with code '))
          finished.push(createBody(number));
        return;
      }
      if (text.startsWith('Summary of all failing tests')) body.isRecap = true;
      const title = /^ {2}● (\S.*)$/.exec(text)?.[1];
      if (title === undefined) return readDetail(body, text, number);
      endFailure();
      const { draft, file: inFile, isRecap } = body;
      failure = { draft, name: title.trim(), file: inFile, isRecap, lines: [] };
    },
    isIdle: () => body === null && failure === null,
    end: () => {
      endFailure();
      if (body !== null) finished.push(cutOff(body));
      return finished.map(({ draft }) => draft);
    },
  };
}

function createBody(line: number): Body {
  return {
    draft: createDraft('jest', line),
    files: 0,
    failedFiles: 0,
    file: null,
    isRecap: false,
    titles: [],
  };
}

/** `src/a.test.js` and `src/a.test.js (5.2 s)`, with a project's name before it or not. */
function isTestFile(text: string): boolean {
  return /\.[cm]?[jt]sx?(?: \(.*\))?$/.test(text) && text.length < 1000;
}

function enterFile(body: Body, isFailed: boolean, text: string, number: number): void {
  body.draft.last = number;
  body.file = text.replace(/ \([^()]*\)$/, '').trim();
  body.titles.length = 0;
  if (body.isRecap) return;
  body.files++;
  if (isFailed) body.failedFiles++;
}

/** `Tests:       2 failed, 1 skipped, 1 todo, 3 passed, 7 total`; skipped suites make it `2 of 3 total`. */
function readCounts(text: string): Counts | null {
  const counts = { passed: 0, failed: 0, skipped: 0, total: -1 };
  for (const part of text.slice(text.indexOf(':') + 1).split(',')) {
    const match = /^\s*(\d+)(?: of (\d+))? (failed|passed|skipped|todo|pending|total)\s*$/.exec(
      part,
    );
    if (match === null) return null;
    const number = Number(match[2] ?? match[1]);
    const kind = match[3];
    if (kind === 'total') counts.total = number;
    else if (kind === 'passed' || kind === 'failed') counts[kind] += number;
    else counts.skipped += number;
  }
  return counts.total === -1 ? null : counts;
}

/**
 * Ends a run with its summary. Each file prints one line, so a summary that counts as many suites is real; one that
 * fits only together with the files of the run before shows that the summary before was printed by a test.
 */
function closeBody(
  finished: Body[],
  body: Body,
  suites: Counts,
  tests: Counts,
  number: number,
): void {
  const before = finished.at(-1);
  if (!fits(body, suites) && before !== undefined && body.files > 0) {
    const both = joined(before, body);
    if (fits(both, suites)) {
      finished.pop();
      return closeBody(finished, both, suites, tests, number);
    }
  }
  const { draft } = body;
  draft.last = number;
  draft.anchored = body.files > 0;
  draft.passed = tests.passed;
  draft.failed = tests.failed;
  draft.skipped = tests.skipped;
  const isOdd = tests.total !== tests.passed + tests.failed + tests.skipped;
  const hidesFailures = body.failedFiles > suites.failed && !fits(body, suites);
  draft.incomplete = isOdd || hidesFailures;
  if (suites.failed > 0 && tests.failed === 0 && draft.errors.length === 0) {
    addError(draft, `${suites.failed} test suites failed to run`);
  }
  finished.push(body);
}

/** A suite whose tests are all skipped may print no line. */
function fits({ files, failedFiles }: Body, suites: Counts): boolean {
  return (
    files > 0 &&
    failedFiles === suites.failed &&
    files <= suites.total &&
    files >= suites.total - suites.skipped
  );
}

function joined(a: Body, b: Body): Body {
  const draft = createDraft('jest', a.draft.first);
  for (const { draft: part } of [a, b]) mergeInto(draft, part);
  return { ...b, draft, files: a.files + b.files, failedFiles: a.failedFiles + b.failedFiles };
}

const symbols: Readonly<Record<string, TestStatus>> = {
  '✓': 'passed',
  '√': 'passed',
  '✕': 'failed',
  '×': 'failed',
  '○': 'skipped',
  '✎': 'skipped',
};

/** In verbose output, a test `    ✓ two (1 ms)` or the title of a group. */
function readDetail(body: Body, text: string, number: number): void {
  if (body.file === null || body.isRecap || !text.startsWith('  ')) return;
  let indent = 0;
  while (text[indent] === ' ') indent++;
  if (indent % 2 === 1 || indent > 40) return;
  const { titles, draft } = body;
  while ((titles.at(-1)?.indent ?? 0) >= indent) titles.pop();
  const status = text[indent + 1] === ' ' ? symbols[text[indent] ?? ''] : undefined;
  if (status === undefined) {
    if (text.trim() !== '' && titles.length < 20) titles.push({ indent, name: text.trim() });
    return;
  }
  const match = /^(.*?)(?: \((\d+(?:\.\d+)?) ?(ms|s)\))?$/.exec(text.slice(indent + 2).trimEnd());
  const title = (match?.[1] ?? '').replace(/^(skipped|todo) /, '');
  const durationMs =
    match?.[2] === undefined ? null : Number(match[2]) * (match[3] === 's' ? 1000 : 1);
  draft.last = number;
  addTest(draft, [...titles.map(({ name }) => name), title].join(' › '), status, durationMs);
}

/** Keeps a line of a failure's message, which ends before the code frame; false when the message is over. */
function collect(lines: string[], text: string): boolean {
  if (text.trim() !== '' && !text.startsWith('    ')) return false;
  if (lines.length >= 30 || /^ *(?:>? *\d+ \||at )/.test(text)) return false;
  lines.push(text.slice(4));
  return true;
}

function reportFailure({ draft, name, file, isRecap, lines }: Failure): void {
  const message = lines.join('\n').trim();
  if (name === 'Test suite failed to run') addError(draft, `${file ?? 'a suite'}: ${message}`);
  else if (isRecap) addFailure(draft, name, message);
  else if (!isNotice(name)) addReport(draft, name, message);
}

/** Blocks that look like a failing test and are none. */
function isNotice(name: string): boolean {
  return /^(Cannot log after tests are done|Console|.*Warning:|.*handles? )/.test(name);
}

function cutOff(body: Body): Body {
  const { draft } = body;
  draft.anchored = body.files > 0;
  draft.incomplete = true;
  for (const { status } of draft.tests) {
    if (status === 'passed') draft.passed++;
    else if (status === 'skipped') draft.skipped++;
  }
  draft.failed = Math.max(draft.failures.length, draft.tests.length - draft.passed - draft.skipped);
  return body;
}

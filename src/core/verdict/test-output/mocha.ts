import { addError, addFailure, addTest, createDraft, type Draft } from './draft.ts';
import type { Reader, Runner } from './runner.ts';

/** The spec, dot and similar reporters of mocha, which share their closing lines. */
export const mocha: Runner = { name: 'mocha', read };

/** A run being read: the tests it printed so far, and whether titles stand above them as mocha prints them. */
type Body = {
  readonly draft: Draft;
  passes: number;
  failures: number;
  hasTitles: boolean;
  readonly titles: { readonly indent: number; readonly name: string }[];
};

/** A failure of the closing list, `1) suite`, nested titles below, the last one ending with a colon. */
type Failure = {
  readonly titles: string[];
  isTitled: boolean;
  hasStack: boolean;
  readonly lines: string[];
};

type State = {
  readonly finished: Body[];
  body: Body | null;
  /** The closing lines are being read, up to this one. */
  epilogue: { line: number } | null;
  failure: Failure | null;
  /** How many failures of the closing list were read. */
  listed: number;
};

function read(): Reader {
  const state: State = { finished: [], body: null, epilogue: null, failure: null, listed: 0 };
  return {
    line: (text, number) => readLine(state, text, number),
    end: () => {
      endFailure(state);
      endEpilogue(state, false);
      if (state.body?.hasTitles === true) state.finished.push(cutOff(state.body));
      return state.finished.map(({ draft }) => draft);
    },
  };
}

function readLine(state: State, text: string, number: number): void {
  const passing = readPassing(text);
  if (passing !== null) return startEpilogue(state, passing, number);
  if (text.startsWith(' Exception during run:') || text.startsWith('Exception during run:')) {
    const draft = createDraft('mocha', number);
    draft.anchored = true;
    addError(draft, text.slice(text.indexOf(':') + 1));
    state.finished.push({ ...createBody(number), draft });
    return;
  }
  if (state.epilogue !== null && readEpilogue(state, state.epilogue, text, number)) return;
  if (state.finished.length > 0 && state.body === null && readFailure(state, text, number)) return;
  readTest(state, text, number);
}

/** `  3 passing (4ms)` */
function readPassing(text: string): number | null {
  if (!text.includes(' passing (')) return null;
  const match = /^ {0,4}(\d+) passing \(\d+(?:\.\d+)?(?:ms|s|m|h)\)$/.exec(text.trimEnd());
  return match === null ? null : Number(match[1]);
}

function createBody(line: number): Body {
  return {
    draft: createDraft('mocha', line),
    passes: 0,
    failures: 0,
    hasTitles: false,
    titles: [],
  };
}

/**
 * Starts the closing lines. A summary that counts as many tests as were printed is real; one that fits only together
 * with the tests of the run before shows that the summary before was printed by a test.
 */
function startEpilogue(state: State, passing: number, number: number): void {
  endFailure(state);
  endEpilogue(state, false);
  let body = state.body ?? createBody(number);
  const before = state.finished.at(-1);
  const isShort = body.passes > 0 && body.passes !== passing;
  if (before !== undefined && isShort && before.passes + body.passes === passing) {
    state.finished.pop();
    body = joined(before, body);
  }
  const { draft } = body;
  draft.anchored = body.passes === passing && body.passes + body.failures > 0;
  draft.passed = passing;
  draft.failed = 0;
  draft.skipped = 0;
  draft.last = number;
  state.finished.push(body);
  state.body = null;
  state.epilogue = { line: number };
  state.listed = 0;
}

function joined(a: Body, b: Body): Body {
  const draft = createDraft('mocha', a.draft.first);
  draft.tests.push(...a.draft.tests, ...b.draft.tests);
  return { ...b, draft, passes: a.passes + b.passes, failures: a.failures + b.failures };
}

function readEpilogue(
  state: State,
  epilogue: { line: number },
  text: string,
  number: number,
): boolean {
  const match = /^ {2}(\d+) (pending|failing)$/.exec(text.trimEnd());
  const draft = state.finished.at(-1)?.draft;
  if (match === null || draft === undefined || number !== epilogue.line + 1) {
    endEpilogue(state, text === '');
    return false;
  }
  epilogue.line = number;
  draft.last = number;
  if (match[2] === 'pending') draft.skipped = Number(match[1]);
  else draft.failed = Number(match[1]);
  return true;
}

/** Failures come last and a blank line ends the list: output that ends before may have lost them, unless all adds up. */
function endEpilogue(state: State, isWhole: boolean): void {
  const body = state.finished.at(-1);
  if (state.epilogue !== null && body !== undefined) {
    const addsUp = body.passes === body.draft.passed && body.failures === body.draft.failed;
    const hidesFailures = body.failures > body.draft.failed;
    body.draft.incomplete = hidesFailures || (!isWhole && !addsUp && body.draft.failed === 0);
  }
  state.epilogue = null;
}

const marks = '✓✔√';

/** A test `    ✔ name (90ms)`, `    1) name`, `    - name`, or the title of a suite. */
function readTest(state: State, text: string, number: number): void {
  // jest and ava mark their tests alike; what stands above their lines is not mocha's.
  if (/^ ?(?:PASS|FAIL) \S|^Ran all test suites|^ {2}─$/.test(text)) state.body = null;
  if (!text.startsWith('  ')) {
    if (state.body !== null) state.body.titles.length = 0;
    return;
  }
  let indent = 0;
  while (text[indent] === ' ') indent++;
  const rest = text.slice(indent).trimEnd();
  if (rest === '' || indent > 60 || indent % 2 === 1 || /\(\d+\.\d+ms\)/.test(rest)) return;
  const body = (state.body ??= createBody(number));
  const { titles, draft } = body;
  while ((titles.at(-1)?.indent ?? 0) >= indent) titles.pop();
  if (draft.tests.length === 0) draft.first = number;
  const full = (title: string): string => [...titles.map(({ name }) => name), title].join(' > ');
  if (indent === 2 && /^[.․,!]+$/.test(rest)) return addDots(body, rest, number);
  const failed = /^\d+\) (.+)$/.exec(rest)?.[1];
  if (marks.includes(rest[0] ?? '') && rest[1] === ' ') {
    const match = /^(.*?)(?: \((\d+)ms\))?$/.exec(rest.slice(2));
    body.passes++;
    body.hasTitles ||= titles.at(-1)?.indent === indent - 2;
    addTest(
      draft,
      full(match?.[1] ?? ''),
      'passed',
      match?.[2] === undefined ? null : Number(match[2]),
    );
  } else if (failed !== undefined) {
    body.failures++;
    addTest(draft, full(failed), 'failed');
  } else if (rest.startsWith('- ')) {
    addTest(draft, full(rest.slice(2)), 'skipped');
  } else {
    if (titles.length < 20) titles.push({ indent, name: rest });
    return;
  }
  draft.last = number;
}

/** A line of the dot reporter: `.` passed, `!` failed, `,` pending. */
function addDots(body: Body, dots: string, number: number): void {
  for (const dot of dots) {
    if (dot === '.' || dot === '․') body.passes++;
    if (dot === '!') body.failures++;
  }
  body.draft.last = number;
}

/** Takes a line of the closing list of failures; false when the line is not part of it. */
function readFailure(state: State, text: string, number: number): boolean {
  const draft = state.finished.at(-1)?.draft;
  if (draft === undefined) return false;
  const start = /^ {2}(\d+)\) (.+)$/.exec(text.trimEnd());
  if (start !== null && Number(start[1]) === state.listed + 1 && state.listed < draft.failed) {
    endFailure(state);
    state.listed++;
    const title = start[2] ?? '';
    const isTitled = title.endsWith(':');
    state.failure = { titles: [withoutColon(title)], isTitled, hasStack: false, lines: [] };
    draft.last = number;
    return true;
  }
  const { failure } = state;
  if (failure === null) return false;
  const isStack = /^ +at /.test(text);
  if (/^ +[✓✔√] /.test(text) || (failure.hasStack && !isStack && text.trim() !== '')) {
    endFailure(state);
    return false;
  }
  draft.last = number;
  if (!failure.isTitled) {
    failure.isTitled = text.trimEnd().endsWith(':') || failure.titles.length > 20;
    failure.titles.push(withoutColon(text.trim()));
  } else if (isStack || /^ +\+ expected - actual/.test(text)) {
    failure.hasStack = isStack;
    if (failure.lines.length > 0) report(state, failure);
  } else if (failure.lines.length < 30) {
    failure.lines.push(text.trim());
  }
  return true;
}

function withoutColon(title: string): string {
  return title.endsWith(':') ? title.slice(0, -1) : title;
}

function report({ finished }: State, { titles, lines }: Failure): void {
  const draft = finished.at(-1)?.draft;
  const message = lines.join('\n').trim();
  if (draft !== undefined && message !== '') addFailure(draft, titles.join(' > '), message);
}

function endFailure(state: State): void {
  if (state.failure !== null) report(state, state.failure);
  state.failure = null;
}

/** Tests without closing lines. Many tools print such marks, so this yields to any other runner. */
function cutOff(body: Body): Body {
  const { draft } = body;
  draft.incomplete = true;
  draft.passed = body.passes;
  draft.failed = body.failures;
  for (const { status, name } of draft.tests) {
    if (status === 'skipped') draft.skipped++;
    if (status === 'failed') addFailure(draft, name, '');
  }
  return body;
}

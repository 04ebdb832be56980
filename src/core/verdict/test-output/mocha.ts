import {
  addError,
  addFailure,
  addReport,
  addTest,
  createDraft,
  type Draft,
  mergeInto,
} from './draft.ts';
import { clearedForMin } from './lines.ts';
import type { Reader, Runner } from './runner.ts';
import { indentOf } from './tap-line.ts';
import type { TestStatus } from './test-run.ts';

/** The spec, dot and similar reporters of mocha, which share their closing lines. */
export const mocha: Runner = { name: 'mocha', read };

/** A run being read: the tests it printed so far, and whether titles stand above them as mocha prints them. */
type Body = {
  readonly draft: Draft;
  passes: number;
  failures: number;
  hasTitles: boolean;
  /** What the dot reporter marked; a test may print behind its marks. */
  readonly dots: { passes: number; failures: number };
  /** The screen was cleared as the min reporter does it, which prints no tests. */
  isFramed: boolean;
  readonly titles: { readonly indent: number; readonly name: string; readonly line: number }[];
};

/** A failure of the closing list, `1) suite`, nested titles below, the last one ending with a colon. */
type Failure = {
  readonly titles: string[];
  isTitled: boolean;
  hasStack: boolean;
  isReported: boolean;
  readonly lines: string[];
};

type State = {
  readonly finished: Body[];
  body: Body | null;
  /** Tests above a line of another runner: of that runner, or of this one and the line was printed by a test. */
  readonly parts: Body[];
  /** The closing lines are being read, up to this one. */
  epilogue: { line: number } | null;
  failure: Failure | null;
  /** How many failures of the closing list were read. */
  listed: number;
  blanks: number;
};

function read(): Reader {
  const state: State = {
    finished: [],
    body: null,
    parts: [],
    epilogue: null,
    failure: null,
    listed: 0,
    blanks: 0,
  };
  return {
    line: (text, number) => readLine(state, text, number),
    end: () => {
      endFailure(state);
      endEpilogue(state, false);
      if (state.body?.hasTitles === true) state.finished.push(cutOff(state.body));
      return withoutPrinted(state.finished).map(({ draft }) => draft);
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
    dots: { passes: 0, failures: 0 },
    isFramed: false,
    titles: [],
  };
}

/**
 * Starts the closing lines. A summary that counts as many tests as were printed is real; one that fits only together
 * with the tests above another summary, or above a line of another runner, shows that a test printed those.
 */
function startEpilogue(state: State, passing: number, number: number): void {
  endFailure(state);
  endEpilogue(state, false);
  const body = bodyOf(state, counted(state.body ?? createBody(number)), passing);
  state.parts.length = 0;
  const { draft } = body;
  const fits = body.passes === passing && body.passes + body.failures > 0;
  draft.anchored = fits || (body.isFramed && body.passes + body.failures === 0);
  draft.passed = passing;
  draft.failed = 0;
  draft.skipped = 0;
  draft.last = number;
  state.finished.push(body);
  state.body = null;
  state.epilogue = { line: number };
  state.listed = 0;
}

const maxParts = 50;

/** The tests that the summary counts: those since the last summary or line of another runner, or more where only these fit. */
function bodyOf(state: State, body: Body, passing: number): Body {
  const before = state.finished.at(-1);
  const earlier = [
    ...(before === undefined || before.draft.anchored ? [] : [before]),
    ...state.parts,
  ];
  let whole = body;
  for (const part of earlier.toReversed()) {
    if (whole.passes >= passing && whole.passes > 0) break;
    whole = joined(counted(part), whole);
  }
  const takesAll = whole.passes === passing && whole.passes !== body.passes;
  if (!takesAll) return body;
  if (before !== undefined && whole.draft.first === before.draft.first) state.finished.pop();
  return whole;
}

/** The min reporter prints its counts alone. Of several on one screen the last are its own, unless others are worse. */
function withoutPrinted(finished: readonly Body[]): Body[] {
  const kept: Body[] = [];
  for (const body of finished) {
    const screen = kept.at(-1);
    const isOnScreen = screen?.isFramed === true && !body.isFramed && body.passes === 0;
    if (!isOnScreen) kept.push(body);
    else if (body.draft.failed >= screen.draft.failed) {
      const { first, incomplete } = screen.draft;
      const draft = { ...body.draft, first, anchored: true };
      draft.incomplete ||= incomplete;
      kept[kept.length - 1] = { ...body, isFramed: true, draft };
    }
  }
  return kept;
}

/** Where no test was named, the marks count. */
function counted(body: Body): Body {
  return body.draft.tests.length > 0 || body.passes > 0 ? body : { ...body, ...body.dots };
}

function joined(a: Body, b: Body): Body {
  const draft = createDraft('mocha', a.draft.first);
  for (const { draft: part } of [a, b]) mergeInto(draft, part);
  return {
    ...b,
    draft,
    passes: a.passes + b.passes,
    failures: a.failures + b.failures,
    isFramed: a.isFramed || b.isFramed,
  };
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

/** jest and ava mark their tests alike; what stands above their lines may be theirs. */
const others = /^ ?(?:PASS|FAIL) \S|^Ran all test suites|^ {2}─$/;

/** A test `    ✔ name (90ms)`, `    1) name`, `    - name`, or the title of a suite. */
function readTest(state: State, text: string, number: number): void {
  // Two empty lines stand before the first title.
  if (others.test(text) || (state.blanks >= 2 && text.startsWith('  '))) splitBody(state);
  state.blanks = text === '' ? state.blanks + 1 : 0;
  if (text === clearedForMin) {
    state.body = { ...createBody(number), isFramed: true };
    return;
  }
  const indent = indentOf(text);
  const rest = text.slice(indent).trimEnd();
  if (isDots(state.body, indent, rest))
    return addDots((state.body ??= createBody(number)), rest, number);
  if (indent < 2 || rest === '' || indent > 60 || indent % 2 === 1 || /\(\d+\.\d+ms\)/.test(rest))
    return;
  const body = (state.body ??= createBody(number));
  const { titles, draft } = body;
  while ((titles.at(-1)?.indent ?? 0) >= indent) titles.pop();
  const full = (title: string): string => [...titles.map(({ name }) => name), title].join(' > ');
  const add = (title: string, status: TestStatus, durationMs: number | null = null): void => {
    if (draft.tests.length === 0 && !body.isFramed) draft.first = titles[0]?.line ?? number;
    draft.last = number;
    addTest(draft, full(title), status, durationMs);
  };
  const failed = /^\d+\) (.+)$/.exec(rest)?.[1];
  if (marks.includes(rest[0] ?? '') && rest[1] === ' ') {
    const match = /^(.*?)(?: \((\d+)ms\))?$/.exec(rest.slice(2));
    body.passes++;
    body.hasTitles ||= titles.at(-1)?.indent === indent - 2;
    add(match?.[1] ?? '', 'passed', match?.[2] === undefined ? null : Number(match[2]));
  } else if (failed !== undefined) {
    body.failures++;
    add(failed, 'failed');
  } else if (rest.startsWith('- ')) {
    add(rest.slice(2), 'skipped');
  } else if (titles.length < 20) titles.push({ indent, name: rest, line: number });
}

function splitBody(state: State): void {
  if (state.body === null || state.body.isFramed) return;
  if (state.body.draft.tests.length > 0 || hasDots(state.body)) state.parts.push(state.body);
  if (state.parts.length > maxParts) state.parts.shift();
  state.body = null;
}

function hasDots({ dots }: Body): boolean {
  return dots.passes + dots.failures > 0;
}

/** The dot reporter indents its first line; where a test printed something, it goes on in the first column. */
function isDots(body: Body | null, indent: number, rest: string): boolean {
  if (body !== null && body.draft.tests.length > 0) return false;
  const isFirst = indent === 2 && /^[.․,!]+(?:$|[^\s.․,!])/.test(rest);
  return isFirst || (indent === 0 && body !== null && hasDots(body) && /^[.․,!]+$/.test(rest));
}

/** A line of the dot reporter: `.` passed, `!` failed, `,` pending. */
function addDots({ dots, draft, isFramed }: Body, text: string, number: number): void {
  if (dots.passes + dots.failures === 0 && !isFramed) draft.first = number;
  for (const dot of text) {
    if (dot === '.' || dot === '․') dots.passes++;
    else if (dot === '!') dots.failures++;
    else if (dot !== ',') break;
  }
  draft.last = number;
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
    const titles = [withoutColon(title)];
    state.failure = { titles, isTitled, hasStack: false, isReported: false, lines: [] };
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

function report({ finished }: State, failure: Failure): void {
  const { titles, lines } = failure;
  const draft = finished.at(-1)?.draft;
  const message = failure.isReported ? '' : lines.join('\n').trim();
  failure.isReported ||= message !== '';
  if (draft !== undefined && message !== '') addReport(draft, titles.join(' > '), message);
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

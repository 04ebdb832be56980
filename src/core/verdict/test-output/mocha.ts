import { addError, addFailure, addReport, addTest, createDraft, type Draft } from './draft.ts';
import { clearedForMin } from './lines.ts';
import {
  addDots,
  type Body,
  counted,
  createBody,
  fitOf,
  hasDots,
  joined,
  noTests,
  sumOf,
  type Title,
} from './mocha-body.ts';
import type { Reader, Runner } from './runner.ts';
import { indentOf } from './tap-line.ts';
import type { TestStatus } from './test-run.ts';

/** The spec, dot and similar reporters of mocha, which share their closing lines. */
export const mocha: Runner = { name: 'mocha', read };

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
  /** A title of the outermost level may follow: behind an empty line, or a test of that level. */
  isBetweenSuites: boolean;
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
    isBetweenSuites: true,
  };
  return {
    line: (text, number) => readLine(state, text, number),
    end: () => {
      endFailure(state);
      endEpilogue(state, false);
      const open = [...state.parts, state.body].find((body) => body !== null && isOpen(body));
      if (open !== undefined && open !== null) state.finished.push(cutOff(open));
      return withoutPrinted(state.finished).map(named);
    },
  };
}

function readLine(state: State, text: string, number: number): void {
  if (opensFrame(text)) {
    endFailure(state);
    if (text === clearedForMin || state.body?.isFramed !== true)
      state.body = { ...createBody(number), isFramed: true };
    return;
  }
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

/** What the min and the progress reporter begin with. */
function opensFrame(text: string): boolean {
  return text === clearedForMin || text.startsWith('  [▬');
}

/** `  3 passing (4ms)` */
function readPassing(text: string): number | null {
  if (!text.includes(' passing (')) return null;
  const match = /^ {0,4}(\d+) passing \(\d+(?:\.\d+)?(?:ms|s|m|h)\)$/.exec(text.trimEnd());
  return match === null ? null : Number(match[1]);
}

/**
 * Starts the closing lines. A summary that counts as many tests as were printed is real; one that fits only together
 * with the tests above another summary, or above a line of another runner, shows that a test printed those.
 */
function startEpilogue(state: State, passing: number, number: number): void {
  endFailure(state);
  endEpilogue(state, false);
  const body = bodyOf(state, state.body ?? createBody(number), passing);
  state.parts.length = 0;
  const { draft } = body;
  draft.anchored = body.isFramed || fitOf(body.tally, passing) !== null;
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
function bodyOf({ finished, parts }: State, body: Body, passing: number): Body {
  const recent = finished.slice(-maxParts);
  const printed = recent.slice(recent.findLastIndex(({ draft }) => draft.anchored) + 1);
  const earlier = [...printed, ...parts];
  const pieces = [body];
  let { tally } = body;
  for (const part of earlier.toSorted((a, b) => b.draft.first - a.draft.first)) {
    if (fitOf(tally, passing) !== null) break;
    pieces.unshift(part);
    tally = sumOf(part.tally, tally);
  }
  const fit = fitOf(tally, passing);
  if (fit === null) return body;
  const whole = counted(joined(pieces, tally), fit, passing);
  const joinedRuns = printed.filter((part) => pieces.includes(part)).length;
  finished.length -= joinedRuns;
  return whole;
}

/** Whether the body is a run that did not end, and not just lines with a mark. */
function isOpen({ hasTitles, isFramed }: Body): boolean {
  return hasTitles || isFramed;
}

/** The closing list has the titles of what failed; above, what a test printed may stand for one. */
function named({ draft }: Body): Draft {
  const { tests, failures } = draft;
  const failing = tests.flatMap(({ status }, at) => (status === 'failed' ? [at] : []));
  if (failing.length !== failures.length) return draft;
  for (const [at, index] of failing.entries()) {
    const test = tests[index];
    if (test !== undefined) tests[index] = { ...test, name: failures[at]?.name ?? test.name };
  }
  return draft;
}

/** The min reporter prints its counts alone. Of several on one screen the last are its own, unless others are worse. */
function withoutPrinted(finished: readonly Body[]): Body[] {
  const kept: Body[] = [];
  for (const body of finished) {
    const screen = kept.at(-1);
    const isOnScreen =
      screen?.isFramed === true && !body.isFramed && body.tally.passes + body.tally.failures === 0;
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
    const { passes, failures } = body.tally;
    const addsUp = passes === body.draft.passed && failures === body.draft.failed;
    const hidesFailures = failures > body.draft.failed;
    body.draft.incomplete = hidesFailures || (!isWhole && !addsUp && body.draft.failed === 0);
  }
  state.epilogue = null;
}

const passMarks = '✓✔√';

/** jest and ava mark their tests alike; what stands above their lines may be theirs. */
const others = /^ ?(?:PASS|FAIL) \S|^Ran all test suites|^ {2}─$/;

/** A test `    ✔ name (90ms)`, `    1) name`, `    - name`, or the title of a suite. */
function readTest(state: State, text: string, number: number): void {
  // Two empty lines stand before the first title.
  if (others.test(text) || (state.blanks >= 2 && text.startsWith('  '))) splitBody(state, number);
  state.blanks = text === '' ? state.blanks + 1 : 0;
  // The min and progress reporters print no tests.
  if (state.body?.isFramed === true) return;
  const indent = indentOf(text);
  const rest = text.slice(indent).trimEnd();
  const isBehindGap = state.isBetweenSuites;
  state.isBetweenSuites = text === '';
  if (isDots(state, indent, rest))
    return addDots((state.body ??= createBody(number)), rest, number);
  if (indent < 2 || rest === '' || indent > 60 || indent % 2 === 1 || /\(\d+\.\d+ms\)/.test(rest))
    return;
  const body = (state.body ??= createBody(number));
  const test = testIn(rest);
  if (test === null) return enterTitle(body, { indent, name: rest, line: number }, isBehindGap);
  const { draft } = body;
  const titles = body.titles.filter((title) => title.indent < indent);
  if (test.status === 'passed') {
    body.hasTitles ||= titles.at(-1)?.indent === indent - 2;
    const byMark = { [test.mark]: 1 };
    body.tally = sumOf(body.tally, { ...noTests, passes: 1, byMark });
  } else if (test.status === 'failed') {
    body.tally = sumOf(body.tally, { ...noTests, failures: 1 });
  }
  state.isBetweenSuites = indent === 2;
  if (draft.tests.length === 0 && !hasDots(body)) draft.first = titles[0]?.line ?? number;
  draft.last = number;
  const name = [...titles.map((title) => title.name), test.name].join(' > ');
  addTest(draft, name, test.status, test.durationMs);
  if (body.marks.length < draft.tests.length) body.marks.push(test.mark);
}

type PrintedTest = {
  readonly name: string;
  readonly status: TestStatus;
  readonly durationMs: number | null;
  readonly mark: string;
};

function testIn(text: string): PrintedTest | null {
  if (passMarks.includes(text[0] ?? '') && text[1] === ' ') {
    const match = /^(.*?)(?: \((\d+)ms\))?$/.exec(text.slice(2));
    const durationMs = match?.[2] === undefined ? null : Number(match[2]);
    return { name: match?.[1] ?? '', status: 'passed', durationMs, mark: text[0] ?? '' };
  }
  const failed = /^\d+\) (.+)$/.exec(text)?.[1];
  if (failed !== undefined) return { name: failed, status: 'failed', durationMs: null, mark: '' };
  if (!text.startsWith('- ')) return null;
  return { name: text.slice(2), status: 'skipped', durationMs: null, mark: '' };
}

/** A title stands right below the one of its parent's level; what else is indented was printed by a test. */
function enterTitle(body: Body, title: Title, isBehindGap: boolean): void {
  const above = body.titles.filter(({ indent }) => indent < title.indent);
  const isRoot = title.indent === 2 && (isBehindGap || body.titles.length === 0);
  if (!isRoot && above.at(-1)?.indent !== title.indent - 2) return;
  body.titles = [...above, title].slice(0, 20);
}

/** The titles stay open: what splits may have been printed by a test below them. */
function splitBody(state: State, number: number): void {
  const { body } = state;
  if (body === null || body.isFramed) return;
  if (body.draft.tests.length > 0 || hasDots(body)) state.parts.push(body);
  if (state.parts.length > maxParts) state.parts.shift();
  state.body = { ...createBody(number), titles: body.titles };
}

/** The dot reporter indents its first line; where a test printed something, it goes on in the first column. */
function isDots(state: State, indent: number, rest: string): boolean {
  if (!/^[.․,!]/.test(rest) || (indent !== 2 && indent !== 0)) return false;
  if (indent === 2) return true;
  return [...state.parts, state.body].some((body) => body !== null && hasDots(body));
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
  if (!body.isFramed) draft.isLoose = true;
  draft.incomplete = true;
  draft.passed = body.tally.passes;
  draft.failed = body.tally.failures;
  for (const { status, name } of draft.tests) {
    if (status === 'skipped') draft.skipped++;
    if (status === 'failed') addFailure(draft, name, '');
  }
  return body;
}

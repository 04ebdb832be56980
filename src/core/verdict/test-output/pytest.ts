import { addError, addFailure, addTest, createDraft, type Draft } from './draft.ts';
import { addQuiet, createQuiet, firstOf, readMarks } from './pytest-quiet.ts';
import type { Reader, Runner } from './runner.ts';
import type { TestStatus } from './test-run.ts';

/** pytest with any verbosity, and pytest-xdist. */
export const pytest: Runner = { name: 'pytest', read };

type Counts = { passed: number; failed: number; skipped: number; errors: number };

/** A session being read. `collected` is how many tests pytest said it would run, null when it did not say. */
type Session = {
  readonly draft: Draft;
  collected: number | null;
  /** Modules skipped while collecting, which the summary counts as well. */
  skippedModules: number;
  /** How many marks the lines of progress showed, and what they said. */
  marks: number;
  readonly tally: Counts;
  /** Its progress reached the end. */
  isThrough: boolean;
  counts: Counts | null;
  /** How wide the rules of its headings are, null until one was seen. A test's own `=== 3 passed ===` is not as wide. */
  width: number | null;
  /** The counts come from a line as wide as the headings. */
  isSure: boolean;
  hasHeader: boolean;
  /** The counts stand in the report on a test, among what it printed. */
  isQuoted: boolean;
  /** Marks or headings told of a failure: counts without one were printed by a test. */
  isRed: boolean;
  wasInterrupted: boolean;
  /** Title and error of the report being read, `____ test_x ____`. */
  title: string | null;
  error: string[];
  readonly messages: Map<string, string[]>;
};

function read(): Reader {
  const sessions: Session[] = [];
  /** A session without a header, as `-q` prints it; it exists once a line of progress was seen. */
  const current = (): Session | undefined => sessions.at(-1);
  /** Marks without a percentage, as they stand before a heading where a run stops early. */
  let loose = '';
  const quiet = createQuiet();

  return {
    line: (text, number) => {
      if (text.startsWith('=') && /^=+ test session starts =+$/.test(text)) {
        sessions.push({ ...createSession(number, true), width: text.length, hasHeader: true });
        loose = '';
        return;
      }
      const counts = readSummary(text);
      if (counts !== null) {
        loose = '';
        let session = current();
        const first = firstOf(quiet, counts.passed + counts.failed + counts.skipped);
        const isNext = first !== null && session !== undefined && isQuietOver(session);
        if (session === undefined || isNext || isBehind(session, text)) {
          sessions.push((session = createSession(first ?? number, first !== null)));
        }
        Object.assign(quiet, createQuiet());
        takeCounts(session, counts, isAsWide(session, text));
        session.draft.last = number;
        endReport(session);
        return;
      }
      let session = current();
      const isHeading = text.endsWith('=') && headings.test(text);
      const marks = isHeading ? loose : readMarks(text);
      loose = isLoose(text) ? (loose + text).slice(-maxLoose) : text === '' ? loose : '';
      if ((marks !== '' || isHeading) && (session === undefined || isOver(session, isHeading))) {
        sessions.push(
          (session = createSession(isHeading ? (quiet.first ?? number) : number, true)),
        );
      }
      addQuiet(quiet, text, number);
      if (session === undefined) return;
      if (session.counts === null) addMarks(session, marks);
      if (text.endsWith('[100%]')) session.isThrough = true;
      if (isHeading) {
        readHeading(session, text);
        if (session.counts === null) session.draft.last = number;
      }
      readLine(session, text, number);
    },
    end: () => sessions.map(finish),
  };
}

function createSession(line: number, isAnchored: boolean): Session {
  const draft = createDraft('pytest', line);
  draft.anchored = isAnchored;
  return {
    draft,
    collected: null,
    skippedModules: 0,
    marks: 0,
    tally: { passed: 0, failed: 0, skipped: 0, errors: 0 },
    isThrough: false,
    counts: null,
    width: null,
    isSure: false,
    hasHeader: false,
    isQuoted: false,
    isRed: false,
    wasInterrupted: false,
    title: null,
    error: [],
    messages: new Map(),
  };
}

/**
 * Progress behind a summary belongs to the next run, which prints no header when it is quiet. A heading does so only
 * where the summary is not among what a test printed.
 */
function isOver(session: Session, isHeading: boolean): boolean {
  const { counts, collected, wasInterrupted, isSure, hasHeader, isQuoted } = session;
  // As quiet as with `-qq`, it ends with its marks, or with the reason why it stopped.
  if (counts === null) return wasInterrupted || (session.isThrough && !isHeading);
  if (hasHeader || (isHeading && isQuoted)) return isSure;
  return collected === null || wasInterrupted || fits(session, counts);
}

function isQuietOver({ hasHeader, counts, isThrough, wasInterrupted }: Session): boolean {
  return !hasHeader && (counts !== null || isThrough || wasInterrupted);
}

/** Whether a summary is that of another run, which said nothing else. */
function isBehind(session: Session, text: string): boolean {
  if (session.counts === null) return false;
  return !session.draft.anchored || (session.isSure && !isAsWide(session, text));
}

const headings = /^=+ (?:ERRORS|FAILURES|PASSES|short test summary info) =+$/;

function readHeading(session: Session, text: string): void {
  session.width ??= text.length;
  if (text.length === session.width && / (?:ERRORS|FAILURES) /.test(text)) session.isRed = true;
}

/** A title that is longer than the rules are wide gets one sign on either side. */
function isAsWide({ width }: Session, text: string): boolean {
  if (width === null || !text.startsWith('=')) return false;
  return text.length === width || (text.length > width && text.startsWith('= '));
}

const maxLoose = 100_000;

function isLoose(text: string): boolean {
  return text !== '' && text.length < 200 && /^[.FEsxX]+$/.test(text);
}

function addMarks(session: Session, marks: string): void {
  const { tally } = session;
  session.marks += marks.length;
  for (const mark of marks) {
    if (mark === 'F') tally.failed++;
    else if (mark === 'E') tally.errors++;
    else if (mark === 's' || mark === 'x') tally.skipped++;
    else tally.passed++;
  }
  session.isRed ||= badness(tally) > 0;
}

/**
 * A summary as wide as the headings, and one that fits what was announced, wins over one that a test printed; in doubt
 * the worse one holds.
 */
function takeCounts(session: Session, counts: Counts, isSure: boolean): void {
  if ((session.isRed && badness(counts) === 0) || (session.isSure && !isSure)) return;
  const before = session.isSure === isSure ? session.counts : null;
  const isWorse = before === null || badness(counts) >= badness(before);
  const isBetter =
    fits(session, counts) || (isWorse && !(before !== null && fits(session, before)));
  if (isBetter) session.counts = counts;
  session.isQuoted = session.title !== null;
  session.isSure = isSure;
}

function badness({ failed, errors }: Counts): number {
  return failed + errors;
}

/** An error in the setup takes the place of a result, one in the teardown comes on top. */
function fits({ collected, skippedModules, marks }: Session, counts: Counts): boolean {
  const expected = collected ?? marks;
  const ran = counts.passed + counts.failed + counts.skipped;
  return expected > 0 && expected >= ran - skippedModules && expected <= ran + counts.errors;
}

/** `=== 1 failed, 2 passed in 0.12s ===`, without the rules when quiet; null for any other line. */
function readSummary(text: string): Counts | null {
  if (!text.endsWith('=') && !text.endsWith('s') && !text.endsWith(')')) return null;
  if (!/^(?:=+ |\d|no tests ran)/.test(text)) return null;
  const bare = text.replace(/^=+ /, '').replace(/ =+$/, '');
  const match = /^(.+) in \d+(?:\.\d+)?(?:s| seconds)(?: \(\d[\d:, days]*\))?$/.exec(bare);
  if (match === null) return null;
  const counts: Counts = { passed: 0, failed: 0, skipped: 0, errors: 0 };
  if (match[1] === 'no tests ran') return counts;
  for (const part of (match[1] ?? '').split(', ')) {
    const item = /^(\d+) ([a-z]+(?: [a-z]+)?)$/.exec(part);
    if (item === null) return null;
    const key = kinds.get(item[2] ?? '');
    if (key === undefined) return null;
    if (key !== 'ignored') counts[key] += Number(item[1]);
  }
  return counts;
}

/** An expected failure counts as skipped, an unexpected pass as passed: pytest says "failed" where it is strict. */
const kinds = new Map<string, keyof Counts | 'ignored'>(
  Object.entries({
    passed: 'passed',
    xpassed: 'passed',
    failed: 'failed',
    skipped: 'skipped',
    xfailed: 'skipped',
    error: 'errors',
    errors: 'errors',
    warning: 'ignored',
    warnings: 'ignored',
    deselected: 'ignored',
    rerun: 'ignored',
    reruns: 'ignored',
    'subtests passed': 'ignored',
    'subtests failed': 'failed',
    'subtests skipped': 'ignored',
  }),
);

const statuses = new Map<string, TestStatus>(
  Object.entries({
    PASSED: 'passed',
    XPASS: 'passed',
    FAILED: 'failed',
    ERROR: 'error',
    SKIPPED: 'skipped',
    XFAIL: 'skipped',
  }),
);

function readLine(session: Session, text: string, number: number): void {
  const { draft } = session;
  if (text.startsWith('collect')) {
    const collected = /^(?:collecting .*)?collected (\d+) items?(.*)$/.exec(text);
    if (collected !== null) return readCollected(session, Number(collected[1]), collected[2] ?? '');
  }
  if (text.startsWith('___') && /^_{3,} .* _{3,}$/.test(text)) {
    endReport(session);
    session.title = text.replace(/^_+ /, '').replace(/ _+$/, '');
    return;
  }
  if (session.title !== null && readReport(session, text)) return;
  if (text.startsWith('INTERNALERROR>') || /^ERROR: \S/.test(text)) addError(draft, text);
  if (
    text.startsWith('!!!') &&
    /^!{3,} .*(KeyboardInterrupt|Interrupted|stopping after|_pytest\.outcomes\.Exit|xdist).* !{3,}$/.test(
      text,
    )
  ) {
    session.wasInterrupted = true;
  }
  const word = /^[A-Z]+(?= )/.exec(text)?.[0];
  if (word !== undefined && statuses.has(word)) {
    if (session.counts === null) draft.last = number;
    return readShortSummary(session, word, text.slice(word.length + 1));
  }
  readVerbose(session, text, number);
}

/** `collected 12 items / 1 error / 3 deselected / 9 selected` */
function readCollected(session: Session, count: number, rest: string): void {
  session.collected = count;
  for (const part of rest.split('/')) {
    const match = /^ *(\d+) (selected|skipped) *$/.exec(part);
    if (match?.[2] === 'selected') session.collected = Number(match[1]);
    if (match?.[2] === 'skipped') session.skippedModules = Number(match[1]);
  }
}

/** Keeps the first `E   ` lines of a report; false when the line is outside of it. */
function readReport(session: Session, text: string): boolean {
  if (text.startsWith('=') && /^=+ .* =+$/.test(text)) {
    endReport(session);
    return false;
  }
  if (text.startsWith('E  ') && session.error.length < 30) session.error.push(text.slice(4));
  return true;
}

function endReport(session: Session): void {
  const { title, error, messages } = session;
  if (title !== null && error.length > 0 && messages.size < 2000) {
    const known = messages.get(title) ?? [];
    messages.set(title, known);
    if (known.length < 100) known.push(trimIndent(error));
  }
  session.title = null;
  session.error = [];
}

function trimIndent(lines: readonly string[]): string {
  const indent = /^ */.exec(lines[0] ?? '')?.[0].length ?? 0;
  return lines
    .map((line) => line.slice(Math.min(indent, /^ */.exec(line)?.[0].length ?? 0)))
    .join('\n');
}

/** `FAILED test_a.py::test_x - AssertionError: …` */
function readShortSummary(session: Session, word: string, rest: string): void {
  const { draft } = session;
  const dash = rest.indexOf(' - ');
  const id = (dash === -1 ? rest : rest.slice(0, dash)).trim();
  const status = statuses.get(word);
  if (status !== 'failed' && status !== 'error') {
    if (word === 'SKIPPED' || !id.includes('::')) return;
    const isKnown = draft.tests.some(({ name }) => name === id);
    if (!isKnown && status !== undefined) addTest(draft, id, status);
    return;
  }
  const isModule = !id.includes('::');
  if (isModule && !/\.py$|[\\/]/.test(id)) return;
  const message = messageOf(session, id) ?? (dash === -1 ? '' : rest.slice(dash + 3));
  if (isModule) addError(draft, `${id}: ${message}`);
  addFailure(draft, id, message);
}

/** The report is titled by the test's name without its file: `TestGroup.test_x`. */
function messageOf({ messages }: Session, id: string): string | undefined {
  const name = id.split('::').slice(1).join('.');
  const titles =
    name === ''
      ? [`ERROR collecting ${id}`]
      : [name, `ERROR at setup of ${name}`, `ERROR at teardown of ${name}`];
  for (const title of titles) {
    const message = messages.get(title)?.shift();
    if (message !== undefined) return message;
  }
  return undefined;
}

/** `test_a.py::test_x PASSED   [  8%]`, and `[gw0] [  8%] PASSED test_a.py::test_x` of xdist. */
function readVerbose(session: Session, text: string, number: number): void {
  const { draft } = session;
  if (!text.includes('::')) return;
  const match =
    /^(\S+::.*?) (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)(?: \(.*\))?(?: +\[ *\d+%\])?$/.exec(
      text.trimEnd(),
    );
  const parallel =
    /^\[gw\d+\] \[ *\d+%\] (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS) (\S+::.*)$/.exec(
      text.trimEnd(),
    );
  const [id, word] = match === null ? [parallel?.[2], parallel?.[1]] : [match[1], match[2]];
  const status = statuses.get(word ?? '');
  if (id === undefined || status === undefined) return;
  draft.last = number;
  addTest(draft, id, status);
  if ((status === 'failed' || status === 'error') && text.endsWith('%]')) session.isRed = true;
}

function finish(session: Session): Draft {
  endReport(session);
  const { draft, counts, collected } = session;
  if (counts === null) return finishByMarks(session);
  draft.passed = counts.passed;
  draft.failed = counts.failed + counts.errors;
  draft.skipped = counts.skipped;
  const isOdd = (collected ?? session.marks) > 0 && !fits(session, counts);
  const isPrinted = session.isRed || (session.hasHeader && !session.isSure);
  draft.incomplete = draft.failed === 0 && (session.wasInterrupted || isOdd || isPrinted);
  return draft;
}

/**
 * A run without closing counts: cut off, or as quiet as `-qq` makes it. Its marks count, and of failures at least those
 * that are named. Only a run that failed is known to be whole: one that passed says nothing behind its marks.
 */
function finishByMarks(session: Session): Draft {
  const { draft, tally, isThrough, wasInterrupted } = session;
  const failing = draft.tests.filter(({ status }) => status === 'failed' || status === 'error');
  for (const { name } of failing) addFailure(draft, name, messageOf(session, name) ?? '');
  draft.passed = tally.passed;
  draft.skipped = tally.skipped;
  draft.showsOnlyFailures = true;
  // With a header it prints its counts as well.
  const isEnded = !session.hasHeader && (isThrough || wasInterrupted);
  const named = isEnded ? draft.failures.length : failing.length;
  draft.failed = Math.max(badness(tally), named);
  const isNamed = session.width === null || draft.failures.length >= draft.failed;
  draft.incomplete = draft.failed === 0 || !isEnded || !isNamed;
  return draft;
}

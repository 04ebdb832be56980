import { addError, addFailure, countTest, createDraft, type Draft, mergeInto } from './draft.ts';
import { createNodeDots, saysSubtestsFailed, unquoted } from './node-dot.ts';
import { isTestFile, readPrintedError } from './node-load-error.ts';
import { createSummaryReader, type NodeSummary } from './node-summary.ts';
import type { Reader, Runner } from './runner.ts';
import type { TestStatus } from './test-run.ts';

/** The `spec` and `dot` reporters of node:test. Its `tap` reporter is read as TAP. */
export const nodeTest: Runner = { name: 'node:test', read };

type Point = {
  readonly indent: number;
  readonly symbol: string;
  readonly name: string;
  readonly durationMs: number | null;
  /** A fractional duration, which only this runner prints. */
  readonly isExact: boolean;
  readonly hasDirective: boolean;
};

/** A run being read: `points` counts lines that end a test or suite, `maybePoints` those that may be another tool's. */
type Body = {
  readonly draft: Draft;
  points: number;
  maybePoints: number;
  failedPoints: number;
  readonly groups: (Point & { readonly line: number })[];
  /** Files that failed as a whole, with the last error printed before. */
  readonly unloaded: Map<string, string>;
  /** Full names of failing tests by their last title, in the order of their failing. */
  readonly failing: Map<string, string[]>;
};

function read(): Reader {
  const finished: Body[] = [];
  const readSummary = createSummaryReader('ℹ');
  const dots = createNodeDots();
  let body: Body | null = null;
  let failure: { readonly body: Body; readonly name: string; readonly lines: string[] } | null =
    null;
  let previous = '';
  let printedError = '';

  const endFailure = (): void => {
    if (failure !== null) reportFailure(failure.body, failure.name, failure.lines);
    failure = null;
  };

  return {
    line: (text, number) => {
      if (dots.line(text, number)) return;
      const before = previous;
      previous = text;
      const point = readPoint(text);
      const last = finished.at(-1);
      if (point !== null && before.startsWith('test at ') && last !== undefined) {
        endFailure();
        failure = { body: last, name: point.name, lines: [] };
        last.draft.last = number;
        return;
      }
      if (point !== null) {
        endFailure();
        // Other tools print the same marks, but neither fractions of milliseconds nor ▶.
        if (body === null && !point.isExact && point.symbol !== '▶') return;
        body ??= createBody(number);
        addPoint(body, point, number);
        if (point.symbol === '✖' && isTestFile(point.name))
          body.unloaded.set(point.name, printedError);
        printedError = '';
        return;
      }
      if (failure !== null && !collect(failure.lines, text)) endFailure();
      printedError ||= readPrintedError(text);
      const summary = readSummary(text, number);
      if (summary === null) return;
      body ??= createBody(summary.firstLine);
      closeBody(finished, body, summary, number);
      body = null;
    },
    end: () => {
      endFailure();
      if (body !== null && body.points > 0) finished.push(cutOff(body));
      return [...finished.map(({ draft }) => draft), ...dots.end()];
    },
  };
}

function createBody(line: number): Body {
  return {
    draft: createDraft('node:test', line),
    points: 0,
    maybePoints: 0,
    failedPoints: 0,
    groups: [],
    unloaded: new Map(),
    failing: new Map(),
  };
}

const symbols = '✔✖﹣⚠▶';

function readPoint(text: string): Point | null {
  let indent = 0;
  while (text.charCodeAt(indent) === 0x20) indent++;
  if (text.charCodeAt(indent) < 0x2000 || text.charCodeAt(indent + 1) !== 0x20) return null;
  const symbol = text[indent];
  if (symbol === undefined || !symbols.includes(symbol)) return null;
  const rest = text.slice(indent + 2);
  const duration = /^(.*?) \((\d+(?:\.\d+)?)ms\)( #.*)?$/.exec(rest);
  if (duration === null) {
    return {
      indent,
      symbol,
      name: rest.trim(),
      durationMs: null,
      isExact: false,
      hasDirective: false,
    };
  }
  const [, name = '', ms = '', directive] = duration;
  const isExact = ms.includes('.');
  return {
    indent,
    symbol,
    name,
    durationMs: Number(ms),
    isExact,
    hasDirective: directive !== undefined,
  };
}

function addPoint(body: Body, point: Point, number: number): void {
  const { groups, draft } = body;
  while ((groups.at(-1)?.indent ?? -1) > point.indent) groups.pop();
  const group = groups.at(-1);
  const closesGroup =
    group !== undefined && group.indent === point.indent && group.name === point.name;
  if (point.symbol === '▶' && !(closesGroup && point.durationMs !== null)) {
    if (group?.indent === point.indent) groups.pop();
    groups.push({ ...point, line: number });
    draft.last = number;
    return;
  }
  if (point.isExact && body.points === 0) draft.first = groups[0]?.line ?? number;
  if (point.isExact) body.points++;
  else body.maybePoints++;
  if (point.symbol === '✖' && point.isExact && !point.hasDirective) body.failedPoints++;
  if (group?.indent === point.indent) groups.pop();
  draft.last = number;
  if (closesGroup || (!point.isExact && groups.length === 0)) return;
  const name = [...groups.map((outer) => outer.name), point.name].join(' > ');
  countTest(draft, name, statusOf(point), point.durationMs);
  if (statusOf(point) !== 'failed') return;
  const names = body.failing.get(point.name) ?? [];
  body.failing.set(point.name, names);
  if (names.length < 1000) names.push(name);
}

function statusOf(point: Point): TestStatus {
  if (point.symbol === '﹣' || point.symbol === '⚠' || point.hasDirective) return 'skipped';
  return point.symbol === '✖' ? 'failed' : 'passed';
}

/**
 * Ends a run with its closing block. Every test and suite prints one line, so a block that fits its lines is real; one
 * that fits only together with the lines of the run before shows that the block before was printed by a test.
 */
function closeBody(finished: Body[], body: Body, summary: NodeSummary, number: number): void {
  const before = finished.at(-1);
  if (
    !fits(body, summary) &&
    before !== undefined &&
    (body.points > 0 || before.draft.incomplete)
  ) {
    const both = joined(before, body);
    if (fits(both, summary)) {
      finished.pop();
      return closeBody(finished, both, summary, number);
    }
  }
  const { draft } = body;
  draft.last = number;
  draft.anchored = body.points > 0;
  draft.passed = summary.passed;
  draft.failed = summary.failed;
  draft.skipped = summary.skipped;
  const hidesFailures = body.failedPoints > 0 && summary.failed === 0;
  draft.incomplete =
    hidesFailures || summary.tests !== summary.passed + summary.failed + summary.skipped;
  for (const names of body.failing.values()) {
    for (const name of names) addFailure(draft, name, '');
  }
  if (summary.failed > 0) {
    for (const [file, error] of body.unloaded)
      addError(draft, `${file}: ${error || 'the file failed to run'}`);
  }
  finished.push(body);
}

function fits(body: Body, summary: NodeSummary): boolean {
  const expected = summary.tests + summary.suites;
  return body.points > 0 && body.points <= expected && expected <= body.points + body.maybePoints;
}

function joined(a: Body, b: Body): Body {
  const draft = createDraft('node:test', a.draft.first);
  for (const { draft: part } of [a, b]) mergeInto(draft, part);
  const failing = new Map(a.failing);
  for (const [title, names] of b.failing)
    failing.set(title, [...(failing.get(title) ?? []), ...names]);
  return {
    draft,
    points: a.points + b.points,
    maybePoints: a.maybePoints + b.maybePoints,
    failedPoints: a.failedPoints + b.failedPoints,
    groups: [],
    unloaded: new Map([...a.unloaded, ...b.unloaded]),
    failing,
  };
}

/** Keeps a line of a failure's message; false when the message is over. */
function collect(lines: string[], text: string): boolean {
  if (lines.length >= 30 || /^ *at \S/.test(text) || (text !== '' && !text.startsWith('  '))) {
    return lines.length === 0 && text === '';
  }
  if (text === '' && lines.length > 0) return false;
  lines.push(text.slice(2));
  return true;
}

function reportFailure(body: Body, title: string, lines: readonly string[]): void {
  const message = unquoted(lines.join('\n').trim());
  const name = body.failing.get(title)?.shift();
  if (name !== undefined) addFailure(body.draft, name, message);
  else if (body.draft.failed > 0 && !saysSubtestsFailed(message)) {
    const isSkipped = body.draft.tests.some(
      (test) => test.status === 'skipped' && test.name.endsWith(title),
    );
    if (!isSkipped) addFailure(body.draft, title, message);
  }
}

/** A run whose closing block is missing: what was printed counts, but proves nothing. */
function cutOff(body: Body): Body {
  const { draft } = body;
  draft.anchored = true;
  draft.incomplete = true;
  for (const names of body.failing.values()) {
    for (const name of names) addFailure(draft, name, '');
  }
  return body;
}

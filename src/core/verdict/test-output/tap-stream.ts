import {
  addError,
  addFailure,
  countTest,
  createDraft,
  type Draft,
  forgive,
  type Mark,
  markOf,
  replaceMessage,
} from './draft.ts';
import type { NodeSummary } from './node-summary.ts';
import { saysSubtestsFailed } from './node-dot.ts';
import { isTestFile } from './node-load-error.ts';
import type { TapDiagnostic } from './tap-diagnostic.ts';
import type { TapPoint } from './tap-line.ts';
import type { TestStatus } from './test-run.ts';

/** The points of one indentation: how many came, how many were planned, whether one of them failed. */
type Level = {
  readonly indent: number;
  count: number;
  plan: number | null;
  hasFailed: boolean;
  /** What was counted before it. */
  readonly mark: Mark;
};

/** `detail` is -1 for a point that stands for its subtests and is not counted itself. */
type Point = {
  readonly name: string;
  readonly indent: number;
  readonly detail: number;
  isFailed: boolean;
  /** What Perl's Test::More says below it; null before it said that the test failed. */
  comments: string[] | null;
};

/** One TAP stream while it is read. */
export type TapStream = {
  readonly draft: Draft;
  readonly levels: Level[];
  /** Names of the subtests around the line being read. */
  readonly titles: { readonly indent: number; readonly name: string }[];
  /** Points whose subtests follow in braces and whose brace is still open. */
  readonly blocks: TapPoint[];
  /** The plan stood before the points: a later one is not its own. */
  isPlanFirst: boolean;
  /** A second plan: of the next stream, or printed by a test. */
  nextPlan: number | null;
  /** Files that node:test counts as one failed test, with the last error printed before. */
  readonly unloaded: Map<string, string>;
  printedError: string;
  /** It starts with its version. */
  hasHeader: boolean;
  isNumbered: boolean;
  hasDashes: boolean;
  /** A failing point out of its order: printed by a test, or pushed out of order by what a test printed. */
  hasStrayFailure: boolean;
  /** Lines that are not TAP stand between its points. */
  isInterrupted: boolean;
  isNode: boolean;
  isClosed: boolean;
  /** The last point, for the diagnostics that follow it. */
  last: Point | null;
};

const subtestIndent = 4;

export function createStream(
  line: number,
  isAnchored: boolean,
  plan: number | null = null,
): TapStream {
  const draft = createDraft('tap', line);
  draft.anchored = isAnchored;
  return {
    draft,
    levels: [{ indent: 0, count: 0, plan, hasFailed: false, mark: markOf(draft) }],
    titles: [],
    blocks: [],
    isPlanFirst: plan !== null,
    nextPlan: null,
    unloaded: new Map(),
    printedError: '',
    hasHeader: false,
    isNumbered: false,
    hasDashes: false,
    hasStrayFailure: false,
    isInterrupted: false,
    isNode: false,
    isClosed: false,
    last: null,
  };
}

export function isComplete({ levels, blocks }: TapStream): boolean {
  const [top] = levels;
  return top !== undefined && top.plan === top.count && blocks.length === 0;
}

/** A plan, or points. */
export function hasPlan(stream: TapStream): boolean {
  return stream.levels[0]?.plan !== null || hasPoints(stream);
}

export function hasPoints({ levels }: TapStream): boolean {
  return (levels[0]?.count ?? 0) > 0;
}

/**
 * Takes a point. Its number must be the next of its level, or its name announced, else a test printed it. A point behind deeper points is
 * their parent: it counts itself only when it failed and none of them did.
 */
export function addPoint(stream: TapStream, point: TapPoint, line: number): void {
  const enclosing = stream.levels.findLast((level) => level.indent <= point.indent);
  const existing = enclosing?.indent === point.indent ? enclosing : undefined;
  const isSubtest =
    point.indent === (enclosing?.indent ?? 0) + subtestIndent ||
    stream.titles.some((title) => title.indent === point.indent - subtestIndent);
  if (existing === undefined && !isSubtest) return;
  const isNext =
    point.number === null ? !stream.isNumbered : point.number === (existing?.count ?? 0) + 1;
  if (!isNext && !isTitled(stream, point)) {
    if (statusOf(point) === 'failed') stream.hasStrayFailure = true;
    return;
  }
  if (point.number !== null) stream.isNumbered = true;
  stream.hasDashes ||= point.hasDash;
  const subtests = leaveDeeper(stream, point.indent);
  const level = existing ?? openLevel(stream, point.indent);
  level.count++;
  stream.draft.last = line;
  stream.last = null;
  if (point.opensBlock) {
    stream.blocks.push(point);
    enterTitle(stream, point.indent, point.name);
    return;
  }
  settle(stream, level, point, subtests);
}

/** Named just before: node:test 20 gives a file without tests the number of another point. */
function isTitled({ titles }: TapStream, { indent, name, number }: TapPoint): boolean {
  const title = titles.at(-1);
  return number !== null && title?.indent === indent && title.name === name;
}

/** Ends a block of subtests in braces. */
export function closeBlock(stream: TapStream, indent: number): void {
  const point = stream.blocks.at(-1);
  if (point === undefined || point.indent !== indent) return;
  stream.blocks.pop();
  const subtests = leaveDeeper(stream, indent);
  const level = stream.levels.findLast((known) => known.indent === indent);
  if (level !== undefined) settle(stream, level, point, subtests);
}

type Subtests = {
  readonly count: number;
  readonly hasFailed: boolean;
  /** Where the first of them begins. */
  readonly mark: Mark | null;
};

function settle(stream: TapStream, level: Level, point: TapPoint, subtests: Subtests): void {
  const status = statusOf(point);
  if (status === 'failed') level.hasFailed = true;
  // What fails inside of a todo is expected to.
  if (point.directive !== null && subtests.mark !== null) forgive(stream.draft, subtests.mark);
  const isCounted = subtests.count === 0 || (status === 'failed' && !subtests.hasFailed);
  const outer = stream.titles
    .filter((title) => title.indent < point.indent)
    .map((title) => title.name);
  const name = [...outer, point.name].join(' > ');
  const isFailed = status === 'failed';
  stream.last = {
    name,
    indent: point.indent,
    detail: isCounted ? stream.draft.tests.length : -1,
    isFailed,
    comments: null,
  };
  if (!isCounted) return;
  countTest(stream.draft, name, status, point.durationMs);
  if (!isFailed) return;
  addFailure(stream.draft, name, '');
  if (isTestFile(name)) stream.unloaded.set(name, stream.printedError);
  stream.printedError = '';
}

/** A todo that says what is left and passes all the same is an unexpected pass; without a word it has no body. */
function statusOf({ isOk, directive, hasReason }: TapPoint): TestStatus {
  if (directive === 'todo' && isOk && hasReason) return 'passed';
  if (directive !== null) return 'skipped';
  return isOk ? 'passed' : 'failed';
}

function leaveDeeper({ levels }: TapStream, indent: number): Subtests {
  let count = 0;
  let hasFailed = false;
  let mark: Mark | null = null;
  while ((levels.at(-1)?.indent ?? 0) > indent) {
    const level = levels.pop();
    count += level?.count ?? 0;
    hasFailed ||= level?.hasFailed ?? false;
    mark = level?.mark ?? mark;
  }
  return { count, hasFailed, mark };
}

function openLevel({ levels, draft }: TapStream, indent: number): Level {
  const level: Level = { indent, count: 0, plan: null, hasFailed: false, mark: markOf(draft) };
  levels.push(level);
  return level;
}

export function enterTitle({ titles }: TapStream, indent: number, name: string): void {
  while ((titles.at(-1)?.indent ?? -1) >= indent) titles.pop();
  titles.push({ indent, name });
}

/** Only the plan of the outermost level is kept: a subtest that misses its own plan fails its parent. */
export function addPlan(stream: TapStream, count: number, line: number): void {
  const [top] = stream.levels;
  if (top === undefined) return;
  stream.draft.last = line;
  if (top.plan === null || top.count === 0) {
    stream.isPlanFirst = top.count === 0;
    top.plan = count;
    return;
  }
  stream.nextPlan = count;
  // Of two plans behind points the one that fits is real.
  if (!stream.isPlanFirst && top.count === count) top.plan = count;
}

/** Whether the first point of a stream starts another one: behind the last point, or behind another plan. */
export function endsBefore(stream: TapStream, { indent, number }: TapPoint): boolean {
  if (indent !== 0 || number !== 1 || !hasPoints(stream)) return false;
  return isComplete(stream) || stream.nextPlan !== null;
}

export function applyDiagnostic(stream: TapStream, diagnostic: TapDiagnostic): void {
  // Other producers name the type of an error.
  if (diagnostic.type === 'test' || diagnostic.type === 'suite') stream.isNode = true;
  const { last, draft } = stream;
  if (last === null) return;
  const test = draft.tests[last.detail];
  if (test !== undefined && diagnostic.durationMs !== null) {
    draft.tests[last.detail] = { ...test, durationMs: diagnostic.durationMs };
  }
  if (!last.isFailed || (last.detail === -1 && isAboutSubtests(diagnostic))) return;
  addFailure(draft, last.name, diagnostic.message);
}

/** Only node:test says why a parent failed; mostly because a subtest did, which is told there. */
function isAboutSubtests({ type, message }: TapDiagnostic): boolean {
  return type === null || saysSubtestsFailed(message.trim());
}

/** `#   Failed test 'adds'`, `#   at t/adds.t line 3.`, `#          got: '1'` */
export function addComment({ last, draft }: TapStream, text: string): void {
  if (last === null || !last.isFailed || last.detail === -1) return;
  if (text.startsWith('Failed test')) last.comments ??= [];
  else if (
    last.comments !== null &&
    last.comments.length < 30 &&
    !/^at .+ line \d+\.$/.test(text)
  ) {
    last.comments.push(text);
    replaceMessage(draft, last.name, last.comments.join('\n'));
  }
}

/** node:test ends its TAP with its own counts, which also tell tests from suites. */
export function closeByNode(stream: TapStream, summary: NodeSummary, line: number): void {
  const { draft } = stream;
  stream.isNode = true;
  draft.incomplete =
    !isComplete(stream) || summary.tests !== summary.passed + summary.failed + summary.skipped;
  stream.isClosed = true;
  draft.framework = 'node:test';
  draft.last = line;
  draft.passed = summary.passed;
  draft.failed = summary.failed;
  draft.skipped = summary.skipped;
  for (const [file, error] of stream.unloaded)
    addError(draft, `${file}: ${error || 'the file failed to run'}`);
}

/** Ends a stream that nothing else ended. Without its plan, or with another number of points, it was cut off. */
export function closeStream(stream: TapStream): void {
  if (stream.isClosed) return;
  stream.isClosed = true;
  const planned = stream.levels[0]?.plan;
  // Tests that print TAP to test a reader of it write it as most do, with dashes; bats does not.
  stream.draft.isSolid = stream.isNumbered && !stream.hasDashes;
  stream.draft.incomplete = stream.isNode || stream.hasStrayFailure || !isComplete(stream);
  // What is printed between the points of a whole stream was printed by its tests; a stream in one piece may be printed.
  if (stream.isNumbered && stream.isInterrupted && !stream.draft.incomplete)
    stream.draft.anchored = true;
  if (stream.isNode) stream.draft.framework = 'node:test';
  if (planned !== null && planned !== undefined && planned < (stream.levels[0]?.count ?? 0)) {
    addError(stream.draft, `more test points than the ${planned} that were planned`);
  }
}

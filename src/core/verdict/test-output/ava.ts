import {
  addError,
  addFailure,
  addTest,
  createDraft,
  type Draft,
  maxDetails,
  setCounts,
} from './draft.ts';
import type { Reader, Runner } from './runner.ts';
import type { TestStatus } from './test-run.ts';

/** The default reporter of ava 1 to 7. Its `--tap` is read as TAP. */
export const ava: Runner = { name: 'ava', read };

/** The closing counts: `2 tests passed`, `1 test failed`, `1 known failure`, … below a rule. */
type Block = {
  line: number;
  passed: number | null;
  failed: number;
  known: number;
  skipped: number;
  errors: string[];
};

type Run = {
  readonly draft: Draft;
  passed: number;
  failed: number;
  known: number;
  skipped: number;
  block: Block | null;
  isClosed: boolean;
  isSure: boolean;
  readonly failing: Set<string>;
};

type State = {
  readonly runs: Run[];
  /** The line of the last rule, `  ─`. */
  rule: number;
  failure: { readonly draft: Draft; readonly name: string; readonly lines: string[] } | null;
};

function read(): Reader {
  const state: State = { runs: [], rule: -maxGap, failure: null };
  return {
    line: (text, number) => readLine(state, text, number),
    end: () => {
      endFailure(state);
      for (const run of state.runs) closeRun(run);
      // Ticks alone are what many tools print.
      return state.runs
        .filter(({ isClosed, draft }) => isClosed || draft.anchored)
        .map((run) => finish(run));
    },
  };
}

/** mocha and node:test mark their tests alike: ticks above their counts are theirs. */
function dropTicks({ runs }: State): void {
  const run = runs.at(-1);
  if (run !== undefined) closeRun(run);
  if (run !== undefined && !run.draft.anchored && !run.isClosed) runs.pop();
}

function createRun(line: number): Run {
  const draft = createDraft('ava', line);
  return {
    draft,
    passed: 0,
    failed: 0,
    known: 0,
    skipped: 0,
    block: null,
    isClosed: false,
    isSure: false,
    failing: new Set(),
  };
}

function readLine(state: State, text: string, number: number): void {
  if (text.startsWith('ℹ ') || /^ {2}\d+ passing \(/.test(text)) dropTicks(state);
  if (!text.startsWith('  ')) return;
  if (text.trimEnd() === '  ─') {
    endFailure(state);
    state.rule = number;
    return;
  }
  const mark = text[2] ?? '';
  if ((mark === '✔' || mark === '✘' || mark === '✖' || mark === '-') && text[3] === ' ')
    return readTest(state, text, number);
  const count =
    /^ {2}(\d+) (tests?|hooks?|known|uncaught|unhandled|previous|timeout)(?: (\w+))?/.exec(text);
  if (count !== null) return readCount(state, count, number);
  readFailure(state, text);
}

/** `  ✘ [fail]: parser › throws Error thrown in test`, `  - [skip] name`, `  ✔ [expected fail] name (2s)` */
function readTest(state: State, text: string, number: number): void {
  const rest = text.slice(4).trim();
  let run = state.runs.at(-1);
  if (run !== undefined && run.block !== null && number > run.block.line + 1) closeRun(run);
  const tag = /^\[(fail|skip|todo|expected fail)\]:? (.*)$/.exec(rest);
  const hasTrouble = tag === null && text[2] !== '✔' && isTrouble(rest);
  if (run === undefined || run.isSure) {
    // A bare cross or dash alone is no sign of ava.
    if (tag === null && text[2] !== '✔' && !hasTrouble) return;
    run = createRun(number);
    state.runs.push(run);
  }
  // In the report a dash begins a line of a difference, with the actual value.
  if (tag === null && text[2] === '-' && state.rule > run.draft.first)
    return readFailure(state, text);
  const { draft } = run;
  draft.last = Math.max(draft.last, number);
  if (hasTrouble) {
    addTrouble(draft, rest);
    if (rest.startsWith('Couldn’t find')) run.isSure = run.isClosed = true;
    return;
  }
  // A bare tick is what many tools print.
  if (tag !== null || rest.includes(' › ')) draft.anchored = true;
  const { status, name, durationMs } = testOf(text[2] ?? '', tag, rest);
  if (tag?.[1] === 'expected fail' && text[2] === '✔') run.known++;
  else if (status === 'passed') run.passed++;
  else if (status === 'failed') run.failed++;
  else run.skipped++;
  addTest(draft, name, status, durationMs);
  if (status === 'failed' && run.failing.size < maxDetails) run.failing.add(name);
}

function isTrouble(rest: string): boolean {
  return /^(?:No tests found in |Couldn’t find any files|.* exited (?:with a non-zero exit code|due to)|\d+ tests? remaining in |Timed out while)/.test(
    rest,
  );
}

function addTrouble(draft: Draft, text: string): void {
  draft.anchored = true;
  if (!text.startsWith('Couldn’t find')) addError(draft, text);
}

const marks: Readonly<Record<string, TestStatus>> = { '✔': 'passed', '-': 'skipped' };

function testOf(mark: string, tag: RegExpExecArray | null, rest: string) {
  const tagged = tag?.[1] === 'fail' ? 'failed' : 'skipped';
  const status: TestStatus = tag === null ? (marks[mark] ?? 'failed') : tagged;
  const match = /^(.*?)(?: \((?:(\d+)m ?)?(\d+(?:\.\d+)?)(ms|s)\))?$/.exec(tag?.[2] ?? rest);
  const unit = match?.[4] === 's' ? 1000 : 1;
  const durationMs =
    match?.[3] === undefined ? null : Number(match[2] ?? 0) * 60_000 + Number(match[3]) * unit;
  const name = (match?.[1] ?? rest).replace(
    / (?:Error|Rejected promise|Exception) (?:thrown|returned) (?:in|by) test$/,
    '',
  );
  return { status, name, durationMs };
}

/** What something else may print between the rule and the counts, or between two of them. */
const maxGap = 8;

function readCount(state: State, count: RegExpExecArray, number: number): void {
  endFailure(state);
  const isFirst = state.rule >= number - maxGap && state.rule < number;
  let run = state.runs.at(-1);
  if (run === undefined || run.isSure) {
    if (!isFirst) return;
    run = createRun(number);
    state.runs.push(run);
  }
  if (isFirst) {
    run.block = { line: number, passed: null, failed: 0, known: 0, skipped: 0, errors: [] };
    state.rule = -maxGap;
  }
  const { block } = run;
  if (block === null || number > block.line + maxGap) return;
  block.line = number;
  const [, digits, kind = '', word = ''] = count;
  const value = Number(digits);
  if (kind === 'known') block.known = value;
  else if (word === 'skipped' || word === 'todo') block.skipped += value;
  else if (word === 'passed') block.passed = value;
  else if (word === 'failed') block.failed += value;
  else block.errors.push(count[0].trim());
}

/**
 * A block that counts the tests above it is real; passing tests are counted there only when none fails, and old
 * releases mark an expected failure like a pass.
 */
function closeRun(run: Run): void {
  const { block, draft } = run;
  if (block === null) return;
  run.block = null;
  const ticks = run.passed + run.known - block.known;
  const passed = block.passed ?? ticks;
  const isSame =
    block.failed >= run.failed &&
    (passed === ticks || (!draft.anchored && passed < ticks && run.failed === 0)) &&
    block.skipped >= run.skipped;
  if (run.isClosed && !isSame && block.failed <= draft.failed) return;
  run.isClosed = true;
  run.isSure = isSame;
  draft.isSolid = isSame;
  setCounts(
    draft,
    { passed, failed: block.failed, skipped: block.skipped + block.known },
    block.line,
  );
  for (const error of block.errors) if (draft.errors.length === 0) addError(draft, error);
  if (isSame && run.passed + run.failed > 0) draft.anchored = true;
}

/** Below the first rule each failure is told: its title, then its source and why. */
function readFailure(state: State, text: string): void {
  const run = state.runs.at(-1);
  if (run === undefined || state.rule < 0) return;
  const line = text.slice(2).trimEnd();
  const { failure } = state;
  if (run.failing.has(line)) {
    endFailure(state);
    state.failure = { draft: run.draft, name: line, lines: [] };
    return;
  }
  if (failure === null || failure.lines.length >= 30) return;
  if (/^ +at |^ *\d+:|^\S+:\d+$/.test(line)) return;
  failure.lines.push(line);
}

function endFailure(state: State): void {
  const { failure } = state;
  if (failure !== null) addFailure(failure.draft, failure.name, failure.lines.join('\n'));
  state.failure = null;
}

function finish(run: Run): Draft {
  const { draft } = run;
  for (const { status, name } of draft.tests) if (status === 'failed') addFailure(draft, name, '');
  if (!run.isClosed) {
    draft.incomplete = true;
    const skipped = run.skipped + run.known;
    setCounts(draft, { passed: run.passed, failed: run.failed, skipped }, draft.last);
  } else if (!run.isSure) draft.incomplete = run.passed + run.failed > 0;
  return draft;
}

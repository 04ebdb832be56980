import { addError, addFailure, addTest, createDraft, type Draft, setCounts } from './draft.ts';
import type { Reader, Runner } from './runner.ts';
import type { TestStatus } from './test-run.ts';

/** `bun test` of bun 0.6 to 1.4, with marks as words or, in colour, as symbols; also its dots. */
export const bun: Runner = { name: 'bun', starts: 'bR0123456789', read };

/** The closing block as far as it was read: ` 2 pass`, ` 1 fail`, …, `Ran 3 tests across 1 file. [5.00ms]`. */
type Block = {
  readonly line: number;
  passed: number;
  failed: number;
  skipped: number;
  errors: number;
};

type Run = {
  readonly draft: Draft;
  /** How many tests printed a line, by what became of them. */
  passed: number;
  failed: number;
  others: number;
  hasDots: boolean;
  block: Block | null;
  isClosed: boolean;
  /** The error printed before the test that it belongs to. */
  message: string[] | null;
  isBetweenTests: boolean;
};

function read(): Reader {
  const runs: Run[] = [];
  return {
    line: (text, number) => {
      if (text.startsWith('bun test v')) {
        runs.push(createRun(number, true));
        return;
      }
      const run = runs.at(-1);
      if (readBlock(runs, text, number)) return;
      if (run !== undefined) readTest(run, text, number);
    },
    isIdle: () => runs.length === 0,
    end: () =>
      runs.filter(({ draft, isClosed }) => draft.anchored || isClosed).map((run) => finish(run)),
  };
}

function createRun(line: number, isAnchored: boolean): Run {
  const draft = createDraft('bun', line);
  draft.anchored = isAnchored;
  return {
    draft,
    passed: 0,
    failed: 0,
    others: 0,
    hasDots: false,
    block: null,
    isClosed: false,
    message: null,
    isBetweenTests: false,
  };
}

/** Takes a line of the closing block; false for any other line. */
function readBlock(runs: Run[], text: string, number: number): boolean {
  const first = text.charCodeAt(0);
  const run = runs.at(-1);
  if (first === 0x52 && text.startsWith('Ran ')) {
    const match = /^Ran (\d+) tests? across (\d+) files?\. /.exec(text);
    if (match === null) return false;
    if (run === undefined) return true;
    return endRun(run, Number(match[1]), number);
  }
  if (first !== 0x20 && (first < 0x30 || first > 0x39)) return false;
  const count = /^ ?(\d+) (pass|fail|skip|todo|errors?|filtered out)$/.exec(text);
  if (count === null) return false;
  const current =
    run === undefined || (run.isClosed && !run.draft.anchored) ? createRun(number, false) : run;
  if (current !== run) runs.push(current);
  if (count[2] === 'pass' || current.block === null || number > current.block.line + 8)
    current.block = { line: number, passed: 0, failed: 0, skipped: 0, errors: 0 };
  addCount(current.block, count[2] ?? '', Number(count[1]));
  return true;
}

function addCount(block: Block, kind: string, count: number): void {
  if (kind === 'pass') block.passed = count;
  else if (kind === 'fail') block.failed = count;
  else if (kind === 'skip' || kind === 'todo') block.skipped += count;
  else if (kind.startsWith('error')) block.errors = count;
}

/** A block that counts other tests than those printed above it was printed by a test, unless it is worse. */
function endRun(run: Run, ran: number, number: number): boolean {
  const { block, draft } = run;
  run.block = null;
  const bare = block === null || number > block.line + 8;
  // With --bail the counts are left out.
  const counts = bare
    ? { passed: run.passed, failed: Math.max(run.failed, 1), skipped: run.others, errors: 0 }
    : block;
  const printed = run.passed + run.failed + run.others;
  const isSame = printed === ran || counts.errors > 0 || run.hasDots;
  if (run.isClosed && counts.failed <= draft.failed && !isSame) return true;
  if (!run.isClosed && printed === 0 && ran > 0 && draft.anchored && !run.hasDots) {
    // Counts without a test: believed only if nothing else follows.
    draft.incomplete = true;
  } else draft.incomplete = printed > 0 && !isSame;
  setCounts(draft, counts, number);
  run.isClosed = true;
  if (counts.errors > 0 && draft.errors.length === 0)
    addError(draft, `${counts.errors} errors between tests`);
  return true;
}

const words: Readonly<Record<string, TestStatus>> = {
  '(pass)': 'passed',
  '✓': 'passed',
  '(fail)': 'failed',
  '✗': 'failed',
  '(skip)': 'skipped',
  '»': 'skipped',
  '(todo)': 'skipped',
  '✎': 'skipped',
};

/** `(fail) parser > throws [0.34ms]`; the error stands above it. */
function readTest(run: Run, text: string, number: number): void {
  const space = text.indexOf(' ');
  const status = space > 0 && space < 7 ? words[text.slice(0, space)] : undefined;
  if (status === undefined) {
    readOther(run, text);
    return;
  }
  const { draft } = run;
  const match = /^(.*?)(?: \[(\d+(?:\.\d+)?)(ms|s)\])?$/.exec(text.slice(space + 1));
  const name = match?.[1] ?? '';
  const durationMs =
    match?.[2] === undefined ? null : Number(match[2]) * (match[3] === 's' ? 1000 : 1);
  if (status === 'passed') run.passed++;
  else if (status === 'failed') run.failed++;
  else run.others++;
  addTest(draft, name, status, durationMs);
  if (status === 'failed') addFailure(draft, name, (run.message ?? []).join('\n'));
  run.message = null;
  draft.last = Math.max(draft.last, number);
}

function readOther(run: Run, text: string): void {
  if (text === '# Unhandled error between tests') {
    run.isBetweenTests = true;
    run.message = null;
    return;
  }
  if (/^\.+$/.test(text)) run.hasDots = true;
  if (run.message === null) {
    if (/^(?:error|[A-Z]\w*(?:Error|Exception)): /.test(text)) run.message = [text];
    return;
  }
  const isOver = /^ +at |^-{20,}$/.test(text) || run.message.length >= 30;
  if (!isOver) run.message.push(text);
  if (!run.isBetweenTests || !isOver) return;
  addError(run.draft, run.message.join('\n'));
  run.isBetweenTests = false;
  run.message = null;
}

function finish(run: Run): Draft {
  const { draft } = run;
  if (!run.isClosed && run.passed + run.failed + run.others > 0) {
    draft.incomplete = true;
    setCounts(draft, { passed: run.passed, failed: run.failed, skipped: run.others }, draft.last);
  }
  if (run.failed > draft.failed) draft.incomplete = true;
  return draft;
}

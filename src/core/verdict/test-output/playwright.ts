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

/** The list, line, dot and github reporters of Playwright, which share their header and closing counts. */
export const playwright: Runner = { name: 'playwright', starts: 'RE', read };

const kinds = ['failed', 'interrupted', 'flaky', 'skipped', 'did not run', 'passed'] as const;
type Kind = (typeof kinds)[number];

/** The closing counts as far as they were read, in their order. */
type Block = { readonly counts: Map<Kind, number>; lastKind: number; line: number };

type Run = {
  readonly draft: Draft;
  readonly announced: number;
  block: Block | null;
  best: Block | null;
  /** Tests listed below `N failed` and `N interrupted`. */
  readonly failed: Set<string>;
  /** Tests the list reporter showed, the last index of the line reporter, a failure of the dot reporter. */
  listed: number;
  index: number;
  hasFailedDot: boolean;
  failure: { readonly name: string; readonly lines: string[] } | null;
};

function read(): Reader {
  const runs: Run[] = [];
  return {
    line: (text, number) => readLine(runs, text, number),
    isIdle: () => runs.length === 0,
    end: () => runs.map((run) => finish(run)),
  };
}

function readLine(runs: Run[], text: string, number: number): void {
  if (text.startsWith('Running ')) {
    const header = /^Running (\d+) tests? using \d+ workers?(?:, shard \d+ of \d+)?$/.exec(text);
    if (header !== null) runs.push(createRun(number, Number(header[1])));
    return;
  }
  const run = runs.at(-1);
  if (run === undefined) {
    if (text.startsWith('Error: No tests found.')) runs.push(createRun(number, 0));
    return;
  }
  if (!text.startsWith('  ')) {
    readProgress(run, text);
    return;
  }
  if (readCount(run, text, number)) return;
  readDetail(run, text, number);
}

/** `[3/9] a.spec.js:6:8 › parser › reads`, `·F°` */
function readProgress(run: Run, text: string): void {
  const index = text.startsWith('[') ? /^\[(\d+)\/\d+\] /.exec(text)?.[1] : undefined;
  if (index !== undefined) {
    goOn(run);
    run.index = Number(index);
  } else if (/^[·×±°FT]+$/.test(text)) {
    goOn(run);
    run.hasFailedDot ||= /[FT]/.test(text);
  }
}

/** Tests and failures come before the closing counts: those that stand above were printed by a test. */
function goOn(run: Run): void {
  endFailure(run);
  run.block = null;
  run.best = null;
  run.failed.clear();
}

function createRun(line: number, announced: number): Run {
  const draft = createDraft('playwright', line);
  draft.anchored = true;
  return {
    draft,
    announced,
    block: null,
    best: null,
    failed: new Set(),
    listed: 0,
    index: 0,
    hasFailedDot: false,
    failure: null,
  };
}

/** `  2 failed`, `  5 passed (8.7s)`, `  1 error was not a part of any test, see above for details` */
function readCount(run: Run, text: string, number: number): boolean {
  const match =
    /^ {2}(\d+) (failed|interrupted|flaky|skipped|did not run|passed|errors? (?:was|were) not a part of any test.*)(?: \([\d.]+(?:ms|s|m|h)\))?$/.exec(
      text.trimEnd(),
    );
  if (match === null) return false;
  endFailure(run);
  const word = match[2] ?? '';
  if (word.startsWith('error')) {
    // Stopping after the first failures is reported like an error, and is none.
    if ((run.block?.counts.get('failed') ?? 0) === 0) addError(run.draft, text);
    return true;
  }
  const index = kinds.findIndex((kind) => kind === word);
  const kind = kinds[index];
  if (kind === undefined) return false;
  if (run.block === null || index <= run.block.lastKind) {
    settle(run);
    run.block = { counts: new Map(), lastKind: -1, line: number };
    run.failed.clear();
  }
  run.block.counts.set(kind, Number(match[1]));
  run.block.lastKind = index;
  run.block.line = number;
  return true;
}

function sumOf({ counts }: Block): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

function badnessOf({ counts }: Block): number {
  return (counts.get('failed') ?? 0) + (counts.get('interrupted') ?? 0);
}

/** Counts that add up to the announced tests are real; of others the worse and later ones hold. */
function settle(run: Run): void {
  const { block, best, announced } = run;
  run.block = null;
  if (block === null) return;
  const isBetter =
    best === null ||
    (sumOf(block) === announced
      ? sumOf(best) !== announced || badnessOf(block) >= badnessOf(best)
      : sumOf(best) !== announced && badnessOf(block) >= badnessOf(best));
  if (isBetter) run.best = block;
}

const marks: Readonly<Record<string, TestStatus>> = {
  '✓': 'passed',
  ok: 'passed',
  '✘': 'failed',
  x: 'failed',
  '-': 'skipped',
};

function readDetail(run: Run, text: string, number: number): void {
  const listed = /^ {4}(\S.*?\.[cm]?[jt]sx?:\d+:\d+ › .*?)[ ─=]*$/.exec(text);
  if (listed !== null && run.block !== null && run.block.lastKind < 2) {
    if (run.failed.size < maxDetails) run.failed.add(listed[1] ?? '');
    return;
  }
  const title = /^ {2}\d+\) (.*?)[ ─=]*$/.exec(text);
  if (title !== null && text.includes(' › ')) {
    goOn(run);
    run.failure = { name: title[1] ?? '', lines: [] };
    return;
  }
  const { failure } = run;
  if (failure !== null) {
    const isOver = /^ {4,}(?:>? *\d+ \||at |─|Error Context:)/.test(text);
    if (isOver && failure.lines.length > 0) endFailure(run);
    else if (failure.lines.length < 30) failure.lines.push(text.slice(4));
    return;
  }
  const test = /^ {2}(✓|✘|ok|x|-) +(?:\d+ )?(\S.*? › .*?)(?: \((\d+(?:\.\d+)?)(ms|s|m)\))?$/.exec(
    text,
  );
  if (test === null) return;
  const factor = { ms: 1, s: 1000, m: 60_000 }[test[4] ?? ''] ?? 0;
  const durationMs = factor === 0 ? null : Number(test[3]) * factor;
  goOn(run);
  run.listed++;
  addTest(run.draft, test[2] ?? '', marks[test[1] ?? ''] ?? 'failed', durationMs);
  run.draft.last = Math.max(run.draft.last, number);
}

function endFailure(run: Run): void {
  const { failure } = run;
  if (failure !== null) addFailure(run.draft, failure.name, failure.lines.join('\n'));
  run.failure = null;
}

function finish(run: Run): Draft {
  endFailure(run);
  settle(run);
  const { draft, best, announced } = run;
  if (best === null) {
    draft.incomplete = announced > 0;
    for (const { status } of draft.tests) {
      if (status === 'passed') draft.passed++;
      else if (status === 'skipped') draft.skipped++;
      else draft.failed++;
    }
    return draft;
  }
  const of = (kind: Kind) => best.counts.get(kind) ?? 0;
  const failed = badnessOf(best);
  const counts = {
    passed: of('passed') + of('flaky'),
    failed,
    skipped: of('skipped') + of('did not run'),
  };
  setCounts(draft, counts, best.line);
  // An expected failure is marked like a failure, and a flaky test is reported like one.
  keepFailed(draft, run.failed);
  const isEarly =
    (run.listed > 0 && run.listed < announced) || (run.index > 0 && run.index < announced);
  draft.incomplete = failed === 0 && (sumOf(best) !== announced || isEarly || run.hasFailedDot);
  return draft;
}

function keepFailed(draft: Draft, failed: ReadonlySet<string>): void {
  for (const [index, test] of draft.tests.entries()) {
    if (test.status === 'failed' && !failed.has(test.name))
      draft.tests[index] = { ...test, status: 'passed' };
  }
  const kept = draft.failures.filter(({ name }) => failed.has(name));
  draft.failures.splice(0, draft.failures.length, ...kept);
  for (const name of failed) {
    if (!kept.some((failure) => failure.name === name)) draft.failures.push({ name, message: '' });
  }
}

import type { TestCounts } from '../verdict/report.ts';
import { higher, isAbove, levelOf } from './level.ts';
import type { IterationSummary } from './strategy.ts';

/** What an iteration visibly did. Deleted and renamed files count as modified. */
type ActivitySignals = {
  readonly filesModified: boolean;
  readonly filesCreated: boolean;
  readonly testsImproved: boolean;
  readonly testsAdded: boolean;
  readonly buildFixed: boolean;
  readonly lintFixed: boolean;
  readonly coverageRose: boolean;
};

const activityWeights: Readonly<Record<keyof ActivitySignals, number>> = {
  filesModified: 0.3,
  filesCreated: 0.2,
  testsImproved: 0.4,
  testsAdded: 0.2,
  buildFixed: 0.5,
  lintFixed: 0.1,
  coverageRose: 0.2,
};

const activityKeys = [
  'filesModified',
  'filesCreated',
  'testsImproved',
  'testsAdded',
  'buildFixed',
  'lintFixed',
  'coverageRose',
] as const satisfies readonly (keyof ActivitySignals)[];

const minimumActivity = 0.1;

export type ProgressOptions = {
  /** Tree the loop started from: coming back to it is not new. */
  readonly baseTree?: string | null;
  /** Measured by the caller, in percent; without it coverage says nothing. */
  readonly coverage?: { readonly before: number; readonly after: number };
};

export type Progress = {
  /** Enough activity on a tree not seen before, or a level above its best. */
  readonly progress: boolean;
  readonly activity: number;
  readonly level: number | null;
  /** Best level of the earlier iterations. */
  readonly bestLevel: number | null;
  readonly levelRose: boolean;
  /** False when the tree was seen before, and when no snapshot was taken. */
  readonly newTree: boolean;
};

export function progressOf(
  current: IterationSummary,
  previous: readonly IterationSummary[],
  options: ProgressOptions = {},
): Progress {
  const history = createHistory(options.baseTree);
  for (const each of previous) remember(history, each);
  return judge(current, history, options);
}

/** Progress of every iteration against those before it, in one pass. */
export function progressOfEach(
  iterations: readonly IterationSummary[],
  options: Pick<ProgressOptions, 'baseTree'> = {},
): readonly Progress[] {
  const history = createHistory(options.baseTree);
  return iterations.map((current) => {
    const result = judge(current, history, options);
    remember(history, current);
    return result;
  });
}

/** Weighted sum of what happened, rounded so that equal signals give equal sums. */
function activityScore(signals: ActivitySignals): number {
  const tenths = activityKeys.reduce(
    (sum, key) => sum + (signals[key] ? Math.round(activityWeights[key] * 10) : 0),
    0,
  );
  return tenths / 10;
}

/** The newest known value of everything a later iteration is compared with. */
type History = {
  readonly trees: Set<string>;
  readonly scores: Map<string, number>;
  tests: TestCounts | null;
  bestLevel: number | null;
};

function createHistory(baseTree: string | null | undefined): History {
  const trees = new Set(typeof baseTree === 'string' ? [baseTree] : []);
  return { trees, scores: new Map(), tests: null, bestLevel: null };
}

function remember(history: History, summary: IterationSummary): void {
  if (summary.tree !== null) history.trees.add(summary.tree);
  for (const [check, score] of Object.entries(summary.checkScores)) {
    history.scores.set(check, score);
  }
  history.tests = summary.tests ?? history.tests;
  history.bestLevel = higher(history.bestLevel, levelOf(summary));
}

function judge(current: IterationSummary, history: History, options: ProgressOptions): Progress {
  const activity = activityScore(signalsOf(current, history, options.coverage));
  const level = levelOf(current);
  const { bestLevel } = history;
  const levelRose = level !== null && bestLevel !== null && isAbove(level, bestLevel);
  const newTree = current.tree !== null && !history.trees.has(current.tree);
  const progress = levelRose || (newTree && activity >= minimumActivity);
  return { progress, activity, level, bestLevel, levelRose, newTree };
}

function signalsOf(
  { changes, tests, checkScores }: IterationSummary,
  history: History,
  coverage: ProgressOptions['coverage'],
): ActivitySignals {
  return {
    filesModified: changes.modified.length + changes.deleted.length + changes.renamed.length > 0,
    filesCreated: changes.created.length > 0,
    testsImproved: testsImproved(tests, history.tests),
    testsAdded: tests !== null && history.tests !== null && tests.total > history.tests.total,
    buildFixed: turnedGreen('build', checkScores, history.scores),
    lintFixed: turnedGreen('lint', checkScores, history.scores),
    coverageRose: coverage !== undefined && coverage.after > coverage.before,
  };
}

/** Fewer failures among fewer tests is no improvement: the failing ones may just be gone. */
function testsImproved(now: TestCounts | null, before: TestCounts | null): boolean {
  if (now === null || before === null) return false;
  return now.passed > before.passed || (now.failed < before.failed && now.total >= before.total);
}

function turnedGreen(
  word: string,
  now: Readonly<Record<string, number>>,
  before: ReadonlyMap<string, number>,
): boolean {
  return Object.entries(now).some(([check, score]) => {
    const earlier = before.get(check);
    return (
      check.toLowerCase().includes(word) && score === 1 && earlier !== undefined && earlier < 1
    );
  });
}

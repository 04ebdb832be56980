import type { TestCounts } from '../verdict/report.ts';
import { higher, isAbove, levelOf } from './level.ts';
import type { BaseSummary, IterationSummary } from './strategy.ts';

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
  /** What the loop started from: coming back to its tree is not new, and its results are the first to improve on. */
  readonly base?: BaseSummary;
};

export type Progress = {
  /** Enough activity on a tree not seen before, or a level above its best. */
  readonly progress: boolean;
  readonly activity: number;
  /** What the activity is made of. */
  readonly signals: readonly (keyof ActivitySignals)[];
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
  const history = createHistory(options.base);
  for (const each of previous) remember(history, each);
  return judge(current, history);
}

/** Progress of every iteration against those before it, in one pass. */
export function progressOfEach(
  iterations: readonly IterationSummary[],
  options: ProgressOptions = {},
): readonly Progress[] {
  const history = createHistory(options.base);
  return iterations.map((current) => {
    const result = judge(current, history);
    remember(history, current);
    return result;
  });
}

/** Weighted sum of what happened, rounded so that equal signals give equal sums. */
function activityScore(signals: readonly (keyof ActivitySignals)[]): number {
  const tenths = signals.reduce((sum, key) => sum + Math.round(activityWeights[key] * 10), 0);
  return tenths / 10;
}

/** The newest known value of everything a later iteration is compared with. */
type History = {
  readonly trees: Set<string>;
  readonly scores: Map<string, number>;
  tests: TestCounts | null;
  coverage: number | null;
  bestLevel: number | null;
};

function createHistory(base: BaseSummary | undefined): History {
  const history: History = {
    trees: new Set(),
    scores: new Map(),
    tests: null,
    coverage: null,
    bestLevel: null,
  };
  if (base !== undefined) remember(history, base);
  return history;
}

function remember(history: History, summary: BaseSummary): void {
  if (summary.tree !== null) history.trees.add(summary.tree);
  for (const [check, score] of Object.entries(summary.checkScores)) {
    history.scores.set(check, score);
  }
  history.tests = summary.tests ?? history.tests;
  history.coverage = summary.coverage ?? history.coverage;
  history.bestLevel = higher(history.bestLevel, levelOf(summary));
}

function judge(current: IterationSummary, history: History): Progress {
  const seen = signalsOf(current, history);
  const signals = activityKeys.filter((key) => seen[key]);
  const activity = activityScore(signals);
  const level = levelOf(current);
  const { bestLevel } = history;
  const levelRose = level !== null && bestLevel !== null && isAbove(level, bestLevel);
  const newTree = current.tree !== null && !history.trees.has(current.tree);
  const progress = levelRose || (newTree && activity >= minimumActivity);
  return { progress, activity, signals, level, bestLevel, levelRose, newTree };
}

function signalsOf(
  { changes, tests, coverage, checkScores }: IterationSummary,
  history: History,
): ActivitySignals {
  return {
    filesModified:
      changes.modified.length + changes.deleted.length + changes.renamed.length > 0 ||
      changes.untracked !== undefined,
    filesCreated: changes.created.length > 0,
    testsImproved: testsImproved(tests, history.tests),
    testsAdded: tests !== null && history.tests !== null && tests.total > history.tests.total,
    buildFixed: turnedGreen('build', checkScores, history.scores),
    lintFixed: turnedGreen('lint', checkScores, history.scores),
    coverageRose: coverage !== null && history.coverage !== null && coverage > history.coverage,
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

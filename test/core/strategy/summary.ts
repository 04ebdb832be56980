import { noChanges, type FileChanges } from '../../../src/core/loop/changes.ts';
import type {
  IterationCompleteEvent,
  IterationSummary,
} from '../../../src/core/strategy/strategy.ts';

/** An iteration in which nothing happened, with what a test says otherwise. */
export function summary(overrides: Partial<IterationSummary> = {}): IterationSummary {
  return {
    iteration: 1,
    agentSuccess: true,
    verificationPassed: false,
    durationMs: 1000,
    tokensUsed: 100,
    costUsd: null,
    changes: noChanges,
    tree: null,
    tests: null,
    coverage: null,
    checkScores: {},
    failures: [],
    signatures: [],
    ...overrides,
  };
}

export function modified(...paths: string[]): FileChanges {
  return { ...noChanges, modified: paths, lines: paths.length };
}

/** Iterations that edit files and end on these trees with one failing check. */
export function onTrees(...trees: (string | null)[]): readonly IterationSummary[] {
  return trees.map((tree, index) =>
    summary({
      iteration: index + 1,
      tree,
      changes: modified('src/a.ts'),
      failures: ['L1/validation'],
      checkScores: { 'L1/validation': 0 },
      signatures: [signature(`failure of ${tree ?? index}`)],
    }),
  );
}

export function signature(text: string): IterationSummary['signatures'][number] {
  return { exact: text, simhash: '0'.repeat(16) };
}

/** The event after `iteration`; the current summary and the history default to idle iterations. */
export function completed(
  iteration: number,
  overrides: Partial<IterationCompleteEvent> = {},
): IterationCompleteEvent {
  const verificationPassed = overrides.verificationPassed ?? null;
  const agentSuccess = overrides.agentSuccess ?? true;
  return {
    loopId: 'loop-00000001',
    taskId: 't-00000001',
    iteration,
    totalIterations: iteration,
    elapsedMs: 5000,
    agentResult: { kind: 'done', finalText: '', exitCode: 0, tokens: null, costUsd: null },
    agentSuccess,
    verificationReport: null,
    verificationPassed,
    current: summary({ iteration, verificationPassed, agentSuccess }),
    previousIterations: [],
    maxIterations: 100,
    maxTimeMs: null,
    ...overrides,
  };
}

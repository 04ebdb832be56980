import type { AgentOutcomeKind, Tokens } from '../agent/outcome.ts';
import type { FileChanges } from '../loop/changes.ts';
import type { TestCounts, VerificationReport } from '../verdict/report.ts';

/** What a strategy knows of one iteration; the current one and the earlier ones look alike. */
export type IterationSummary = {
  /** 1-based number within the loop. */
  readonly iteration: number;
  readonly agentSuccess: boolean;
  /** Null when no verification ran. */
  readonly verificationPassed: boolean | null;
  readonly durationMs: number;
  readonly tokensUsed: number | null;
  readonly costUsd: number | null;
  readonly changes: FileChanges;
  /** Snapshot of the files after the agent; null when it was not taken. */
  readonly tree: string | null;
  readonly tests: TestCounts | null;
  /** In percent; null when no check measured it. */
  readonly coverage: number | null;
  /** Score per check, `level/name` → 0..1: test share where tests were parsed, else 1 or 0; skipped checks absent. */
  readonly checkScores: Readonly<Record<string, number>>;
  /** Names of failing checks (`L1/validation`) and failing tests (`L1/validation: name`), sorted. */
  readonly failures: readonly string[];
  /** Signatures of failing checks. */
  readonly signatures: readonly { readonly exact: string; readonly simhash: string }[];
};

/** The untouched base as iterations are compared with it. */
export type BaseSummary = Pick<IterationSummary, 'tree' | 'tests' | 'coverage' | 'checkScores'>;

/** Everything a strategy may decide from. All state is here; a strategy keeps none. */
export type IterationCompleteEvent = {
  readonly loopId: string;
  readonly taskId: string;
  readonly iteration: number;
  /** Iterations that counted so far, this one included. */
  readonly totalIterations: number;
  readonly elapsedMs: number;
  readonly agentResult: {
    readonly kind: AgentOutcomeKind;
    readonly finalText: string;
    readonly exitCode: number | null;
    readonly tokens: Tokens | null;
    readonly costUsd: number | null;
  };
  readonly agentSuccess: boolean;
  readonly verificationReport: VerificationReport | null;
  readonly verificationPassed: boolean | null;
  readonly current: IterationSummary;
  /** Oldest first; interrupted and skipped iterations are left out. */
  readonly previousIterations: readonly IterationSummary[];
  /** 0 = unlimited. */
  readonly maxIterations: number;
  readonly maxTimeMs: number | null;
};

export type LoopDecision = {
  readonly continue: boolean;
  readonly reason: string;
  /** Replaces the verification feedback in the next prompt. */
  readonly feedback?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
};

export const loopEndResults = [
  'success',
  'max_iterations',
  'timeout',
  'budget',
  'strategy_stop',
  'interrupted',
  'error',
] as const;

export type LoopEndEvent = {
  readonly loopId: string;
  readonly taskId: string;
  readonly totalIterations: number;
  readonly finalResult: (typeof loopEndResults)[number];
  readonly elapsedMs: number;
};

/**
 * Decides after each iteration whether to go on. It never decides that the work is done:
 * a loop completes only by a stored passing verification.
 */
export type LoopStrategy = {
  readonly name: string;
  onIterationComplete(event: IterationCompleteEvent): LoopDecision | PromiseLike<LoopDecision>;
  /** Called exactly once per ending. */
  onLoopEnd?(event: LoopEndEvent): void | PromiseLike<void>;
};

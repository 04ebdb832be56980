import type { AttemptOutcome } from '../loop/status.ts';

/** Why an attempt failed: the agent's own report, or a minimal one made by the engine (`whatTried` is empty). */
export type FailureNote = {
  readonly whatTried: string;
  readonly whyFailed: string;
  readonly errorCategory: string;
  readonly relevantFiles: readonly string[];
  readonly stackTrace: string | null;
  readonly retrySuggestion: string | null;
  /** Of the first failing check. */
  readonly signature: string | null;
};

/** An earlier attempt at the same task. */
export type PastAttempt = {
  readonly number: number;
  /** `default` when the agent chose for itself. */
  readonly model: string;
  readonly outcome: AttemptOutcome;
  readonly durationMs: number;
  readonly report: FailureNote | null;
};

/** An attempt at any task, as the journal lists it. Times are UTC milliseconds. */
export type JournalEntry = Pick<PastAttempt, 'number' | 'model' | 'outcome' | 'durationMs'> & {
  readonly taskId: string;
  readonly title: string;
  readonly loopId: string | null;
  readonly startedAt: number;
  readonly costUsd: number | null;
  readonly errorType: string | null;
  /** What the agent that completed the task said it did. */
  readonly summary: string | null;
  readonly report: Pick<FailureNote, 'whatTried' | 'whyFailed' | 'errorCategory'> | null;
};

/** How a task has gone so far, over all its loops. */
export type TaskMetrics = {
  readonly totalAttempts: number;
  readonly consecutiveFailures: number;
  readonly difficulty: string | null;
  /** The model that completed the task. */
  readonly suggestedModel: string | null;
  readonly stuck: boolean;
  /** Why a person has to look at it; null while none has to. */
  readonly needsPerson: string | null;
};

export const noMetrics: TaskMetrics = {
  totalAttempts: 0,
  consecutiveFailures: 0,
  difficulty: null,
  suggestedModel: null,
  stuck: false,
  needsPerson: null,
};

/** What one more attempt makes of the metrics. An interrupted one counts as an attempt and says nothing else. */
export function nextMetrics(
  metrics: TaskMetrics,
  attempt: {
    readonly outcome: AttemptOutcome;
    readonly model: string;
    readonly difficulty: string | null;
  },
  stuckAfter: number,
): TaskMetrics {
  const difficulty = attempt.difficulty ?? metrics.difficulty;
  const totalAttempts = metrics.totalAttempts + 1;
  if (attempt.outcome === 'interrupted') return { ...metrics, totalAttempts, difficulty };
  if (attempt.outcome === 'done') {
    return {
      totalAttempts,
      difficulty,
      consecutiveFailures: 0,
      suggestedModel: attempt.model,
      stuck: false,
      needsPerson: null,
    };
  }
  const consecutiveFailures = metrics.consecutiveFailures + 1;
  return {
    ...metrics,
    totalAttempts,
    difficulty,
    consecutiveFailures,
    stuck: consecutiveFailures >= stuckAfter,
  };
}

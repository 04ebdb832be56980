import type {
  FailureNote,
  JournalEntry,
  PastAttempt,
  TaskMetrics,
} from '../core/memory/attempt.ts';
import type { Capture } from '../core/memory/capture.ts';
import type { Learning, LearningOrigin, LearningStatus } from '../core/memory/learning.ts';

/** Attempts at tasks, why they failed, and what they add up to. Times are UTC milliseconds. */
export interface Attempts {
  /** Stores an attempt with its report and the metrics it leads to. The same attempt again replaces the first. */
  record(input: NewAttempt): Promise<void>;
  /** Attempts at a task, oldest first, without interrupted ones; at most the newest `limit`. */
  list(taskId: string, limit: number): Promise<readonly PastAttempt[]>;
  /** Attempts at all tasks, newest first; those that have every word of `search` in them, when it is given. */
  journal(filter: {
    readonly search?: string;
    readonly limit?: number;
  }): Promise<readonly JournalEntry[]>;
  /** Attempts at a task that were not interrupted, over all its loops. */
  count(taskId: string): Promise<number>;
  /** Null before the first attempt. */
  metrics(taskId: string): Promise<TaskMetrics | null>;
  /** Says that a person has to look at a task that had attempts, or (null) no longer. */
  needPerson(taskId: string, why: string | null): Promise<void>;
  /** How the iterations of a session ended, interrupted ones left out. */
  sessionRate(sessionId: string): Promise<{ readonly total: number; readonly successes: number }>;
  /** Iterations that ended after this time. */
  countSince(time: number): Promise<number>;
  /**
   * Removes attempts, with their reports, of finished tasks that ended before `attemptsBefore`, and metrics of finished tasks last
   * touched before `metricsBefore`. With `dryRun` only counts them.
   */
  prune(input: PruneAttempts): Promise<{ readonly attempts: number; readonly metrics: number }>;
  /** Removes the failure reports of a loop's attempts; how many. What was measured stays. */
  forgetReports(loopId: string): Promise<number>;
  /** The task a loop attempted; null when no attempt of it is kept. Also for a loop that was deleted. */
  taskOf(loopId: string): Promise<string | null>;
  /** The attempts that completed a task, newest first. */
  completions(
    taskId: string,
  ): Promise<readonly { readonly loopId: string | null; readonly model: string }[]>;
  /** Replaces what other tasks are told about this one: how hard it was and which model did it. */
  setEstimate(
    taskId: string,
    estimate: Pick<TaskMetrics, 'difficulty' | 'suggestedModel'>,
  ): Promise<void>;
  /** Removes everything; how many attempts there were. */
  clear(): Promise<number>;
  /** Tasks that are done or failed and whose metrics say something, newest first. */
  finished(limit: number): Promise<readonly FinishedTask[]>;
}

export type NewAttempt = Capture['attempt'] & {
  readonly report: FailureNote | null;
  readonly metrics: TaskMetrics;
  readonly now: number;
};

export type PruneAttempts = {
  readonly attemptsBefore: number;
  readonly metricsBefore: number;
  readonly dryRun: boolean;
};

export type FinishedTask = {
  readonly id: string;
  readonly title: string;
  readonly parentId: string | null;
  readonly isDone: boolean;
  readonly difficulty: string | null;
  readonly model: string | null;
};

/** What was learned. A learning outlives the task and the loop it came from. */
export interface Learnings {
  /** Refused with `store.exists` when the id is taken. */
  add(learning: NewLearning): Promise<void>;
  /** Adds those whose id is not there yet; how many. */
  addMissing(learnings: readonly NewLearning[]): Promise<number>;
  get(id: string): Promise<Learning | null>;
  /** A learning that says exactly this and is still in use. */
  findSame(category: string, content: string): Promise<string | null>;
  /** Newest first. */
  list(filter: LearningFilter): Promise<readonly Learning[]>;
  edit(id: string, change: LearningChange): Promise<void>;
  /** Removes it with everything that refers to it. */
  delete(id: string): Promise<void>;
  countByStatus(): Promise<Readonly<Record<LearningStatus, number>>>;
  /** Ids of learnings in use that are older than `createdBefore` and were not used since `usedBefore`. */
  findOld(input: {
    readonly createdBefore: number;
    readonly usedBefore: number;
  }): Promise<readonly string[]>;
  /** Says of learnings in use that name one of these files, and were not taught by this loop, that it was changed. */
  markStale(paths: readonly string[], besides: string, now: number): Promise<void>;
  /** What an id or its beginning stands for; ambiguity is an error with the candidates. */
  resolve(reference: string): Promise<Learning>;
  /** When the newest merge was made; null when there was none. */
  lastMerge(): Promise<number | null>;

  /** Stores what an iteration was given, with what its checks said of it. */
  recordInjected(items: readonly InjectedItem[]): Promise<void>;
  /** What iterations were given: of a loop, of a learning, or all, oldest first. */
  injected(filter: {
    readonly loopId?: string;
    readonly learningId?: string;
  }): Promise<readonly InjectedItem[]>;
  /** Removes the record of what a loop was given; the votes in the learnings are the caller's. */
  forgetInjected(loopId: string): Promise<void>;
}

export type NewLearning = Pick<Learning, 'id' | 'category' | 'content' | 'tags' | 'createdAt'> &
  Partial<Omit<Learning, 'origin'>> & { readonly origin: LearningOrigin };

export type LearningFilter = {
  readonly statuses?: readonly LearningStatus[];
  readonly category?: string;
  readonly loopId?: string;
  readonly taskId?: string;
  readonly supersededBy?: string;
  readonly limit?: number;
};

export type LearningChange = Partial<
  Omit<Learning, 'id' | 'taskId' | 'loopId' | 'iteration' | 'origin' | 'createdAt'>
>;

export type InjectedItem = {
  readonly loopId: string;
  readonly iteration: number;
  readonly learningId: string;
  readonly taskId: string | null;
  /** From 1, in the order of the prompt. */
  readonly position: number;
  readonly withheld: boolean;
  readonly injectedAt: number;
  readonly vote: 'helpful' | 'harmful' | 'none' | null;
  readonly passed: boolean | null;
};

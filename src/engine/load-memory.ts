import type { Settings } from '../core/config/schema.ts';
import type { MemoryBudget, MemoryContext } from '../core/memory/render-memory.ts';
import { failingSignature } from '../core/memory/capture.ts';
import type { Iteration, Loop } from '../core/loop/loop.ts';
import type { Task } from '../core/task/task.ts';
import type { VerificationReport } from '../core/verdict/report.ts';
import type { StoreTx } from '../ports/store.ts';

/** Which iteration the memory is for. */
export type MemoryRequest = {
  readonly task: Task;
  readonly settings: Settings;
  /** Null: the loop does not exist yet. */
  readonly loopId: string | null;
  readonly sessionId: string | null;
  readonly iteration: number;
  readonly attempt: number;
  readonly consecutiveFailures: number;
  readonly model: string | null;
  readonly modelReason: string;
  /** Of the failing check the iteration starts from. */
  readonly signature: string | null;
  readonly now: number;
};

/** The request of a loop's iteration, open or next. */
export function memoryRequest(
  loop: Loop,
  iteration: Pick<Iteration, 'number' | 'attempt' | 'model' | 'modelReason'>,
  task: Task,
  now: number,
): MemoryRequest {
  return {
    task,
    settings: loop.settings,
    loopId: loop.id,
    sessionId: loop.sessionId,
    iteration: iteration.number,
    attempt: iteration.attempt,
    consecutiveFailures: loop.consecutiveFailures,
    model: iteration.model,
    modelReason: iteration.modelReason ?? '',
    signature: failingSignature(lastReport(loop)),
    now,
  };
}

function lastReport(loop: Loop): VerificationReport | null {
  const verified = loop.iterations.findLast(({ report }) => report !== null);
  return verified?.report ?? loop.baseline?.report ?? null;
}

/** What is remembered for an iteration, with the learnings that are left out on purpose. */
export type LoadedMemory = {
  readonly context: MemoryContext;
  readonly withheld: readonly string[];
};

/** More are never shown: the budget holds a handful. */
const maxAttempts = 20;

/** Null when memory is switched off. */
export async function loadMemory(
  tx: StoreTx,
  request: MemoryRequest,
): Promise<LoadedMemory | null> {
  const { settings, task } = request;
  if (!settings.memory.enabled) return null;
  const attempts = await tx.attempts.list(task.id, maxAttempts);
  const rate =
    request.sessionId === null
      ? { total: 0, successes: 0 }
      : await tx.attempts.sessionRate(request.sessionId);
  const learnings = await tx.learnings.list({
    statuses: ['active', 'candidate'],
    limit: settings.memory['max-learnings'],
  });
  return {
    withheld: [],
    context: {
      attempts,
      attemptCount: await tx.attempts.count(task.id),
      learnings,
      budget: budgetOf(settings),
      status: {
        iteration: request.iteration,
        maxIterations: settings.limits['max-iterations'],
        attempt: request.attempt,
        consecutiveFailures: request.consecutiveFailures,
        runTotal: rate.total,
        runSuccesses: rate.successes,
        model: request.model ?? 'default',
        modelReason: request.modelReason,
        stuckAfter: settings.memory['stuck-after'],
      },
    },
  };
}

function budgetOf({ memory }: Settings): MemoryBudget {
  return {
    total: memory['budget-chars'],
    attempts: memory['attempts-chars'],
    learnings: memory['learnings-chars'],
    status: memory['status-chars'],
    minAttempts: memory['min-attempts-chars'],
    minLearnings: memory['min-learnings-chars'],
    minStatus: memory['min-status-chars'],
  };
}

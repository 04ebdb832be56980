import type { Settings } from '../core/config/schema.ts';
import { isWithheld } from '../core/memory/rank/hold-out.ts';
import type { Learning } from '../core/memory/learning.ts';
import type { MemoryBudget, MemoryContext } from '../core/memory/render-memory.ts';
import { failingSignature } from '../core/memory/capture.ts';
import type { Iteration, Loop } from '../core/loop/loop.ts';
import type { Task } from '../core/task/task.ts';
import type { VerificationReport } from '../core/verdict/report.ts';
import type { StoreTx } from '../ports/store.ts';
import { scopeOf } from './task-scope.ts';

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
  const { given, withheld } = await selectLearnings(tx, request);
  return {
    withheld,
    context: {
      attempts,
      attemptCount: await tx.attempts.count(task.id),
      learnings: given,
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

type Chosen = { readonly given: readonly Learning[]; readonly withheld: readonly string[] };

/** What is likely to help, confirmed ones first, without those that are withheld from this iteration. */
async function selectLearnings(tx: StoreTx, request: MemoryRequest): Promise<Chosen> {
  const { task, settings, loopId, iteration, signature, now } = request;
  const found = await tx.learningIndex.search({
    title: task.title,
    description: task.description,
    signature,
    scope: await scopeOf(tx, task.id),
    limit: settings.memory['max-learnings'],
    now,
    halfLifeMs: settings.memory['half-life'],
    maxOverlap: settings.memory['duplicate-overlap'],
  });
  const learnings: Learning[] = [];
  for (const { id } of found) {
    const learning = await tx.learnings.get(id);
    if (learning !== null) learnings.push(learning);
  }
  const ordered = [
    ...learnings.filter(({ status }) => status === 'active'),
    ...learnings.filter(({ status }) => status !== 'active'),
  ];
  const { holdout } = settings.memory;
  const isHeld = ({ id }: Learning) =>
    loopId !== null && isWithheld(loopId, iteration, id, holdout);
  return {
    given: ordered.filter((learning) => !isHeld(learning)),
    withheld: ordered.filter(isHeld).map(({ id }) => id),
  };
}

function budgetOf({ memory }: Settings): MemoryBudget {
  return {
    total: memory['budget-chars'],
    attempts: memory['attempts-chars'],
    learnings: memory['learnings-chars'],
    knowledge: memory['knowledge-chars'],
    status: memory['status-chars'],
    minAttempts: memory['min-attempts-chars'],
    minLearnings: memory['min-learnings-chars'],
    minKnowledge: memory['min-knowledge-chars'],
    minStatus: memory['min-status-chars'],
  };
}

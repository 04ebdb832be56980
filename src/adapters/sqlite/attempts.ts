import type { FailureNote, PastAttempt, TaskMetrics } from '../../core/memory/attempt.ts';
import type { Attempts, NewAttempt, PruneAttempts } from '../../ports/memory.ts';
import { toIso } from './iso-time.ts';
import type { Db } from './schema.ts';
import { parseStored } from './stored-json.ts';

/** Attempts over one transaction. */
export function createAttempts(db: Db): Attempts {
  return {
    async record(input) {
      await writeOutcome(db, input);
      if (input.report !== null) await writeReport(db, input, input.report);
      await writeMetrics(db, input);
    },
    list: (taskId, limit) => listAttempts(db, taskId, limit),
    count: (taskId) => countAttempts(db, taskId),
    metrics: (taskId) => readMetrics(db, taskId),
    async needPerson(taskId, why) {
      await db
        .updateTable('strategy_metrics')
        .set({ needs_person: why })
        .where('task_id', '=', taskId)
        .execute();
    },
    sessionRate: (sessionId) => sessionRate(db, sessionId),
    finished: (limit) => finishedTasks(db, limit),
    async countSince(time) {
      const row = await db
        .selectFrom('iteration_outcomes')
        .select((expression) => expression.fn.countAll<number>().as('count'))
        .where('started_at', '>', toIso(time))
        .executeTakeFirstOrThrow();
      return row.count;
    },
    prune: (input) => pruneAttempts(db, input),
    forgetReports: (loopId) => forgetReports(db, loopId),
    async taskOf(loopId) {
      const row = await db
        .selectFrom('iteration_outcomes')
        .select('task_id')
        .where('loop_id', '=', loopId)
        .limit(1)
        .executeTakeFirst();
      return row?.task_id ?? null;
    },
    async completions(taskId) {
      return db
        .selectFrom('iteration_outcomes')
        .select(['loop_id as loopId', 'model'])
        .where('task_id', '=', taskId)
        .where('outcome', '=', 'done')
        .orderBy('attempt_number', 'desc')
        .execute();
    },
    async setEstimate(taskId, { difficulty, suggestedModel }) {
      await db
        .updateTable('strategy_metrics')
        .set({ difficulty_estimate: difficulty, suggested_model: suggestedModel })
        .where('task_id', '=', taskId)
        .execute();
    },
    async clear() {
      const result = await db.deleteFrom('iteration_outcomes').executeTakeFirst();
      await db.deleteFrom('strategy_metrics').execute();
      return Number(result.numDeletedRows);
    },
  };
}

async function writeOutcome(db: Db, input: NewAttempt): Promise<void> {
  const row = {
    loop_id: input.loopId,
    session_id: input.sessionId,
    model: input.model,
    started_at: toIso(input.startedAt),
    duration_ms: input.durationMs,
    tokens_input: input.tokensInput,
    tokens_output: input.tokensOutput,
    cost_usd: input.costUsd,
    outcome: input.outcome,
    error_type: input.errorType,
  };
  await db
    .insertInto('iteration_outcomes')
    .values({ task_id: input.taskId, attempt_number: input.number, ...row })
    .onConflict((conflict) => conflict.columns(['task_id', 'attempt_number']).doUpdateSet(row))
    .execute();
}

async function writeReport(db: Db, input: NewAttempt, report: FailureNote): Promise<void> {
  const row = {
    what_was_tried: report.whatTried,
    why_it_failed: report.whyFailed,
    error_category: report.errorCategory,
    relevant_files: JSON.stringify(report.relevantFiles),
    stack_trace_snippet: report.stackTrace,
    retry_suggestion: report.retrySuggestion,
    signature: report.signature,
    created_at: toIso(input.now),
  };
  await db
    .insertInto('failure_reports')
    .values({ task_id: input.taskId, attempt_number: input.number, ...row })
    .onConflict((conflict) => conflict.columns(['task_id', 'attempt_number']).doUpdateSet(row))
    .execute();
}

async function writeMetrics(db: Db, { taskId, metrics, outcome, now }: NewAttempt): Promise<void> {
  const time = toIso(now);
  const row = {
    total_attempts: metrics.totalAttempts,
    consecutive_failures: metrics.consecutiveFailures,
    last_attempt_at: time,
    ...(outcome === 'done' ? { last_success_at: time } : {}),
    difficulty_estimate: metrics.difficulty,
    suggested_model: metrics.suggestedModel,
    stuck_flag: metrics.stuck ? 1 : 0,
    needs_person: metrics.needsPerson,
  };
  await db
    .insertInto('strategy_metrics')
    .values({ task_id: taskId, ...row })
    .onConflict((conflict) => conflict.column('task_id').doUpdateSet(row))
    .execute();
}

async function listAttempts(
  db: Db,
  taskId: string,
  limit: number,
): Promise<readonly PastAttempt[]> {
  const rows = await db
    .selectFrom('iteration_outcomes as outcome')
    .leftJoin('failure_reports as report', (join) =>
      join
        .onRef('report.task_id', '=', 'outcome.task_id')
        .onRef('report.attempt_number', '=', 'outcome.attempt_number'),
    )
    .select([
      'outcome.attempt_number',
      'outcome.model',
      'outcome.outcome',
      'outcome.duration_ms',
      'report.what_was_tried',
      'report.why_it_failed',
      'report.error_category',
      'report.relevant_files',
      'report.stack_trace_snippet',
      'report.retry_suggestion',
      'report.signature',
    ])
    .where('outcome.task_id', '=', taskId)
    .where('outcome.outcome', '<>', 'interrupted')
    .orderBy('outcome.attempt_number', 'desc')
    .limit(limit)
    .execute();
  return rows.toReversed().map((row) => ({
    number: row.attempt_number,
    model: row.model,
    outcome: row.outcome,
    durationMs: row.duration_ms,
    report:
      row.why_it_failed === null
        ? null
        : {
            whatTried: row.what_was_tried ?? '',
            whyFailed: row.why_it_failed,
            errorCategory: row.error_category ?? 'unknown',
            relevantFiles: parseStored<string[]>(row.relevant_files ?? '[]', `report of ${taskId}`),
            stackTrace: row.stack_trace_snippet,
            retrySuggestion: row.retry_suggestion,
            signature: row.signature,
          },
  }));
}

async function countAttempts(db: Db, taskId: string): Promise<number> {
  const row = await db
    .selectFrom('iteration_outcomes')
    .select((expression) => expression.fn.countAll<number>().as('count'))
    .where('task_id', '=', taskId)
    .where('outcome', '<>', 'interrupted')
    .executeTakeFirstOrThrow();
  return row.count;
}

async function readMetrics(db: Db, taskId: string): Promise<TaskMetrics | null> {
  const row = await db
    .selectFrom('strategy_metrics')
    .selectAll()
    .where('task_id', '=', taskId)
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    totalAttempts: row.total_attempts,
    consecutiveFailures: row.consecutive_failures,
    difficulty: row.difficulty_estimate,
    suggestedModel: row.suggested_model,
    stuck: row.stuck_flag === 1,
    needsPerson: row.needs_person,
  };
}

async function sessionRate(db: Db, sessionId: string) {
  const rows = await db
    .selectFrom('iteration_outcomes')
    .select(['outcome', (expression) => expression.fn.countAll<number>().as('count')])
    .where('session_id', '=', sessionId)
    .where('outcome', '<>', 'interrupted')
    .groupBy('outcome')
    .execute();
  return {
    total: rows.reduce((sum, { count }) => sum + count, 0),
    successes: rows.find(({ outcome }) => outcome === 'done')?.count ?? 0,
  };
}

async function finishedTasks(db: Db, limit: number) {
  const rows = await db
    .selectFrom('strategy_metrics as metrics')
    .innerJoin('tasks', 'tasks.id', 'metrics.task_id')
    .select([
      'tasks.id',
      'tasks.title',
      'tasks.parent_id as parentId',
      'tasks.status',
      'metrics.difficulty_estimate as difficulty',
      'metrics.suggested_model as model',
    ])
    .where('tasks.status', 'in', ['done', 'failed'])
    .orderBy('metrics.last_attempt_at', 'desc')
    .orderBy('tasks.id')
    .limit(limit)
    .execute();
  return rows.map(({ status, ...row }) => ({ ...row, isDone: status === 'done' }));
}

async function pruneAttempts(db: Db, { attemptsBefore, metricsBefore, dryRun }: PruneAttempts) {
  const finished = db
    .selectFrom('tasks')
    .select('id')
    .where('status', 'in', ['done', 'failed', 'cancelled']);
  const attempts = db
    .selectFrom('iteration_outcomes')
    .select(['task_id', 'attempt_number'])
    .where('started_at', '<', toIso(attemptsBefore))
    .where('task_id', 'in', finished);
  const metrics = db
    .selectFrom('strategy_metrics')
    .select('task_id')
    .where('last_attempt_at', '<', toIso(metricsBefore))
    .where('task_id', 'in', finished);
  const counts = {
    attempts: (await attempts.execute()).length,
    metrics: (await metrics.execute()).length,
  };
  if (dryRun) return counts;
  await db
    .deleteFrom('iteration_outcomes')
    .where('started_at', '<', toIso(attemptsBefore))
    .where('task_id', 'in', finished)
    .execute();
  await db.deleteFrom('strategy_metrics').where('task_id', 'in', metrics).execute();
  return counts;
}

async function forgetReports(db: Db, loopId: string): Promise<number> {
  const rows = await db
    .selectFrom('iteration_outcomes')
    .select(['task_id', 'attempt_number'])
    .where('loop_id', '=', loopId)
    .execute();
  let removed = 0n;
  for (const { task_id, attempt_number } of rows) {
    const result = await db
      .deleteFrom('failure_reports')
      .where('task_id', '=', task_id)
      .where('attempt_number', '=', attempt_number)
      .executeTakeFirst();
    removed += result.numDeletedRows;
  }
  return Number(removed);
}

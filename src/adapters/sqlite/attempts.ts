import type { FailureNote, PastAttempt, TaskMetrics } from '../../core/memory/attempt.ts';
import type { TaskStatus } from '../../core/task/task.ts';
import type { Attempts, FinishedTask, NewAttempt, PruneAttempts } from '../../ports/memory.ts';
import { toIso } from './iso-time.ts';
import type {
  FailureReportsTable,
  IterationOutcomesTable,
  StrategyMetricsTable,
} from './schema-memory.ts';
import { readJournal } from './journal.ts';
import type { Db } from './schema.ts';
import { assigned, inserted, sql, type Sql } from './sql.ts';
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
    journal: (filter) => readJournal(db, filter),
    count: (taskId) => countAttempts(db, taskId),
    metrics: (taskId) => readMetrics(db, taskId),
    async needPerson(taskId, why) {
      await db.run(sql`
        update strategy_metrics set needs_person = ${why} where task_id = ${taskId}`);
    },
    sessionRate: (sessionId) => sessionRate(db, sessionId),
    finished: (limit) => finishedTasks(db, limit),
    async countSince(time) {
      return countOutcomes(db, sql`started_at > ${toIso(time)}`);
    },
    prune: (input) => pruneAttempts(db, input),
    forgetReports: (loopId) => forgetReports(db, loopId),
    async taskOf(loopId) {
      const row = await db.first(
        sql<Pick<IterationOutcomesTable, 'task_id'>>`
          select task_id from iteration_outcomes where loop_id = ${loopId} limit 1`,
      );
      return row?.task_id ?? null;
    },
    async completions(taskId) {
      return db.all(sql`
        select loop_id as "loopId", model from iteration_outcomes
        where task_id = ${taskId} and outcome = 'done'
        order by attempt_number desc`);
    },
    async setEstimate(taskId, { difficulty, suggestedModel }) {
      await db.run(sql`
        update strategy_metrics
        set difficulty_estimate = ${difficulty}, suggested_model = ${suggestedModel}
        where task_id = ${taskId}`);
    },
    async clear() {
      const removed = await db.run(sql`delete from iteration_outcomes`);
      await db.run(sql`delete from strategy_metrics`);
      return removed;
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
  const key = { task_id: input.taskId, attempt_number: input.number };
  await db.run(sql`
    insert into iteration_outcomes ${inserted<IterationOutcomesTable>({ ...key, ...row })}
    on conflict (task_id, attempt_number)
    do update set ${assigned<IterationOutcomesTable>(row)}`);
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
  const key = { task_id: input.taskId, attempt_number: input.number };
  await db.run(sql`
    insert into failure_reports ${inserted<FailureReportsTable>({ ...key, ...row })}
    on conflict (task_id, attempt_number)
    do update set ${assigned<FailureReportsTable>(row)}`);
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
  await db.run(sql`
    insert into strategy_metrics ${inserted<StrategyMetricsTable>({ task_id: taskId, ...row })}
    on conflict (task_id) do update set ${assigned<StrategyMetricsTable>(row)}`);
}

/** An attempt without a report has null in its columns. */
type AttemptRow = IterationOutcomesTable & {
  readonly [Column in keyof Omit<FailureReportsTable, keyof IterationOutcomesTable>]:
    | FailureReportsTable[Column]
    | null;
};

async function listAttempts(
  db: Db,
  taskId: string,
  limit: number,
): Promise<readonly PastAttempt[]> {
  const rows = await db.all(
    sql<AttemptRow>`
      select
        outcome.attempt_number, outcome.model, outcome.outcome, outcome.duration_ms,
        report.what_was_tried, report.why_it_failed, report.error_category, report.relevant_files,
        report.stack_trace_snippet, report.retry_suggestion, report.signature
      from iteration_outcomes as outcome
      left join failure_reports as report
        on report.task_id = outcome.task_id and report.attempt_number = outcome.attempt_number
      where outcome.task_id = ${taskId} and outcome.outcome <> 'interrupted'
      order by outcome.attempt_number desc limit ${limit}`,
  );
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
  return countOutcomes(db, sql`task_id = ${taskId} and outcome <> 'interrupted'`);
}

async function countOutcomes(db: Db, where: Sql): Promise<number> {
  const { count } = await db.one(
    sql<{ count: number }>`select count(*) as count from iteration_outcomes where ${where}`,
  );
  return count;
}

async function readMetrics(db: Db, taskId: string): Promise<TaskMetrics | null> {
  const row = await db.first(
    sql<StrategyMetricsTable>`select * from strategy_metrics where task_id = ${taskId}`,
  );
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
  const rows = await db.all(
    sql<Pick<IterationOutcomesTable, 'outcome'> & { count: number }>`
      select outcome, count(*) as count from iteration_outcomes
      where session_id = ${sessionId} and outcome <> 'interrupted'
      group by outcome`,
  );
  return {
    total: rows.reduce((sum, { count }) => sum + count, 0),
    successes: rows.find(({ outcome }) => outcome === 'done')?.count ?? 0,
  };
}

async function finishedTasks(db: Db, limit: number) {
  const rows = await db.all(
    sql<Omit<FinishedTask, 'isDone'> & { status: TaskStatus }>`
      select
        tasks.id, tasks.title, tasks.parent_id as "parentId", tasks.status,
        metrics.difficulty_estimate as difficulty, metrics.suggested_model as model
      from strategy_metrics as metrics join tasks on tasks.id = metrics.task_id
      where tasks.status in ('done', 'failed')
      order by metrics.last_attempt_at desc, tasks.id limit ${limit}`,
  );
  return rows.map(({ status, ...row }) => ({ ...row, isDone: status === 'done' }));
}

async function pruneAttempts(db: Db, { attemptsBefore, metricsBefore, dryRun }: PruneAttempts) {
  const finished = sql`
    task_id in (select id from tasks where status in ('done', 'failed', 'cancelled'))`;
  const attempts = sql`iteration_outcomes where started_at < ${toIso(attemptsBefore)} and ${finished}`;
  const metrics = sql`strategy_metrics where last_attempt_at < ${toIso(metricsBefore)} and ${finished}`;
  const counts = await db.one(
    sql<{ attempts: number; metrics: number }>`
      select
        (select count(*) from ${attempts}) as attempts,
        (select count(*) from ${metrics}) as metrics`,
  );
  if (dryRun) return counts;
  await db.run(sql`delete from ${attempts}`);
  await db.run(sql`delete from ${metrics}`);
  return counts;
}

async function forgetReports(db: Db, loopId: string): Promise<number> {
  return db.run(sql`
    delete from failure_reports
    where (task_id, attempt_number) in (
      select task_id, attempt_number from iteration_outcomes where loop_id = ${loopId})`);
}

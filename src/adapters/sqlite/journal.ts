import type { JournalEntry } from '../../core/memory/attempt.ts';
import { foldCase } from '../../core/text/fold-case.ts';
import { fromIso } from './iso-time.ts';
import type { FailureReportsTable, IterationOutcomesTable } from './schema-memory.ts';
import type { Db } from './schema.ts';
import { sql } from './sql.ts';

/** Rows read at once: a search looks at all of them and keeps what fits. */
const page = 500;

export async function readJournal(
  db: Db,
  filter: { readonly search?: string; readonly limit?: number },
): Promise<readonly JournalEntry[]> {
  const limit = filter.limit ?? Infinity;
  const words = foldCase(filter.search ?? '')
    .split(/\s+/)
    .filter((word) => word !== '');
  const found: JournalEntry[] = [];
  for (let offset = 0; found.length < limit; offset += page) {
    const entries = await readPage(db, offset);
    found.push(...entries.filter((entry) => words.every((word) => textOf(entry).includes(word))));
    if (entries.length < page) break;
  }
  return limit === Infinity ? found : found.slice(0, limit);
}

function textOf({ taskId, title, loopId, model, outcome, ...entry }: JournalEntry): string {
  const { whatTried = '', whyFailed = '', errorCategory = '' } = entry.report ?? {};
  const said = [whatTried, whyFailed, errorCategory, entry.errorType ?? '', entry.summary ?? ''];
  return foldCase([taskId, title, loopId ?? '', model, outcome, ...said].join('\n'));
}

type Row = IterationOutcomesTable & {
  readonly title: string;
  readonly summary: string | null;
} & {
  readonly [Column in 'what_was_tried' | 'why_it_failed' | 'error_category']:
    | FailureReportsTable[Column]
    | null;
};

async function readPage(db: Db, offset: number): Promise<readonly JournalEntry[]> {
  const rows = await db.all(
    sql<Row>`
      select
        outcome.*, tasks.title, tasks.summary,
        report.what_was_tried, report.why_it_failed, report.error_category
      from iteration_outcomes as outcome
      join tasks on tasks.id = outcome.task_id
      left join failure_reports as report
        on report.task_id = outcome.task_id and report.attempt_number = outcome.attempt_number
      order by outcome.started_at desc, outcome.task_id, outcome.attempt_number desc
      limit ${page} offset ${offset}`,
  );
  return rows.map((row) => ({
    taskId: row.task_id,
    title: row.title,
    number: row.attempt_number,
    loopId: row.loop_id,
    model: row.model,
    outcome: row.outcome,
    startedAt: fromIso(row.started_at),
    durationMs: row.duration_ms,
    costUsd: row.cost_usd,
    errorType: row.error_type,
    summary: row.outcome === 'done' ? row.summary : null,
    report:
      row.why_it_failed === null
        ? null
        : {
            whatTried: row.what_was_tried ?? '',
            whyFailed: row.why_it_failed,
            errorCategory: row.error_category ?? 'unknown',
          },
  }));
}

import { differs, section } from './statement.ts';

export const memoryTableSections = [
  section('001', 'Table iteration_outcomes', {
    'outcomes-columns':
      'Columns task_id, attempt_number, model, started_at, duration_ms, tokens_input, tokens_output, outcome, error_type',
    'outcomes-key': 'The key is task and attempt',
    'outcomes-attempt-from-one': 'Attempts count from 1',
    'attempts-without-gaps': 'Attempts have no gaps: what was skipped is no attempt',
    'outcomes-error-type':
      'The cause of a failed attempt is kept in error_type, a timeout as `timeout`',
    'outcomes-tokens-nullable': 'Token counts may be missing',
    'outcomes-iso-time': 'Times are ISO 8601 text',
    'outcomes-values': 'The outcome is one of a fixed list',
    'outcomes-list': [
      'The list is done, failed, no_sigil, error',
      differs(
        '§10',
        'timed_out and interrupted are added',
        'a timeout is no crash, and an interruption is nobody’s failure',
      ),
    ],
    'outcomes-indexes': 'Indexes on task_id, on started_at, and on model with outcome',
    'outcomes-cascade': 'They go with their task',
  }),
  section('001', 'Table failure_reports', {
    'reports-columns':
      'Columns task_id, attempt_number, what_was_tried, why_it_failed, error_category, relevant_files, stack_trace_snippet, retry_suggestion, created_at',
    'reports-key': 'The key is task and attempt, which must exist',
    'reports-files-json': 'Files are a JSON array',
    'reports-stack-500': 'The stack trace is cut at 500 characters',
    'reports-indexes': 'Indexes on task_id and on error_category',
    'reports-cascade-task': 'They go with their task',
    'reports-cascade-outcome': 'They go with their outcome',
  }),
  section('001', 'Table learnings', {
    'learnings-columns':
      'Columns id, task_id, category, content, relevance_tags, created_at, pruned_at, superseded_by',
    'learnings-id': 'Ids are `l-` and 6 hexadecimal digits',
    'learnings-tags-json': 'Tags are a JSON array',
    'learnings-task-nullable': 'The task may be missing: by hand, or merged',
    'learnings-soft-delete': '`pruned_at` takes a learning out of use without deleting it',
    'learnings-indexes': 'Indexes on task_id, created_at, pruned_at and category',
    'learnings-outlive-task': 'A learning outlives its task',
    'superseded-restored': 'Which learning superseded which survives export and restore',
    'learnings-superseded-null':
      'When the newer one is deleted, the older one stays and the link is cleared',
  }),
  section('001', 'Table strategy_metrics', {
    'metrics-columns':
      'Columns task_id, total_attempts, consecutive_failures, last_attempt_at, last_success_at, difficulty_estimate, suggested_model, stuck_flag',
    'metrics-defaults': 'Numbers and flag begin at 0',
    'metrics-one-row': 'One row for each task',
    'metrics-indexes': 'Indexes on stuck_flag and on consecutive_failures',
    'metrics-cascade': 'They go with their task',
    'metrics-total-grows': 'Every attempt raises `total_attempts`',
    'metrics-done-resets':
      'Done sets the failures in a row to 0, and the time and model of the success',
    'metrics-failure-raises': 'Failed, no_sigil and error raise the failures in a row',
    'metrics-stuck-at-three': 'At three the flag is 1',
    'metrics-last-attempt': 'The time of the last attempt is kept',
    'metrics-difficulty': 'An estimate of the agent is kept, the last one wins',
  }),
  section('001', 'Migration', {
    'migration-version': 'The schema has a version',
    'migration-adds-tables': 'A database of the version before gets the tables, and keeps its data',
    'migration-no-action': 'The user has nothing to do',
  }),
] as const;

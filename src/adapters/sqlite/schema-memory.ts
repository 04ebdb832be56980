import type { AttemptOutcome } from '../../core/loop/status.ts';

/** The tables of memory. Their times are ISO 8601 text, their flags 0 or 1, their lists JSON. */
export interface IterationOutcomesTable {
  task_id: string;
  attempt_number: number;
  loop_id: string | null;
  session_id: string | null;
  model: string;
  started_at: string;
  duration_ms: number;
  tokens_input: number | null;
  tokens_output: number | null;
  cost_usd: number | null;
  outcome: AttemptOutcome;
  error_type: string | null;
}

export interface FailureReportsTable {
  task_id: string;
  attempt_number: number;
  what_was_tried: string;
  why_it_failed: string;
  error_category: string | null;
  relevant_files: string | null;
  stack_trace_snippet: string | null;
  retry_suggestion: string | null;
  signature: string | null;
  created_at: string;
}

export interface LearningsTable {
  id: string;
  task_id: string | null;
  loop_id: string | null;
  iteration: number | null;
  origin: 'agent' | 'person' | 'import' | 'merge';
  category: string;
  content: string;
  relevance_tags: string;
  paths: string;
  scope: string | null;
  signature: string | null;
  created_at: string;
  last_used_at: string | null;
  helpful: number;
  harmful: number;
  status: 'candidate' | 'active' | 'demoted' | 'pruned';
  by_hand: number;
  stale_at: string | null;
  pruned_at: string | null;
  superseded_by: string | null;
}

export interface StrategyMetricsTable {
  task_id: string;
  total_attempts: number;
  consecutive_failures: number;
  last_attempt_at: string | null;
  last_success_at: string | null;
  difficulty_estimate: string | null;
  suggested_model: string | null;
  stuck_flag: number;
  needs_person: string | null;
}

export interface InjectedItemsTable {
  loop_id: string;
  iteration: number;
  learning_id: string;
  task_id: string | null;
  position: number;
  withheld: number;
  injected_at: string;
  vote: 'helpful' | 'harmful' | 'none' | null;
  passed: number | null;
}

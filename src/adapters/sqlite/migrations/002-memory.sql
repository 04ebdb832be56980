-- What iterations leave behind for later ones. Times in these tables are ISO 8601 text, UTC.

create table iteration_outcomes (
  task_id text not null references tasks (id) on delete cascade,
  attempt_number integer not null,
  -- Which loop and session it was; both may be gone by now.
  loop_id text,
  session_id text,
  -- `default` when the agent chose for itself.
  model text not null,
  started_at text not null,
  duration_ms integer not null,
  tokens_input integer,
  tokens_output integer,
  cost_usd real,
  outcome text not null check (outcome in ('done', 'failed', 'no_sigil', 'error', 'timed_out', 'interrupted')),
  error_type text,
  primary key (task_id, attempt_number)
);
create index idx_iteration_outcomes_task_id on iteration_outcomes (task_id);
create index idx_iteration_outcomes_started_at on iteration_outcomes (started_at);
create index idx_iteration_outcomes_model_outcome on iteration_outcomes (model, outcome);
create index idx_iteration_outcomes_session_id on iteration_outcomes (session_id);
create index idx_iteration_outcomes_loop_id on iteration_outcomes (loop_id);

create table failure_reports (
  task_id text not null references tasks (id) on delete cascade,
  attempt_number integer not null,
  what_was_tried text not null,
  why_it_failed text not null,
  error_category text,
  -- JSON array of paths.
  relevant_files text,
  stack_trace_snippet text,
  retry_suggestion text,
  -- Of the first failing check.
  signature text,
  created_at text not null,
  primary key (task_id, attempt_number),
  foreign key (task_id, attempt_number)
    references iteration_outcomes (task_id, attempt_number) on delete cascade
);
create index idx_failure_reports_task_id on failure_reports (task_id);
create index idx_failure_reports_error_category on failure_reports (error_category);
create index idx_failure_reports_signature on failure_reports (signature);

create table learnings (
  id text primary key,
  task_id text references tasks (id) on delete set null,
  -- Which loop taught it, also when that is gone: `memory forget --loop` goes by it.
  loop_id text,
  iteration integer,
  origin text not null default 'agent' check (origin in ('agent', 'person', 'import', 'merge')),
  category text not null,
  content text not null,
  -- JSON array of strings.
  relevance_tags text not null,
  -- JSON array: the files that content and tags name.
  paths text not null default '[]',
  -- The topmost ancestor of the task it came from: tasks of one plan share a scope.
  scope text,
  -- Of the failing check of the iteration before the one that taught it; null when nothing failed.
  signature text,
  created_at text not null,
  last_used_at text,
  helpful integer not null default 0 check (helpful >= 0),
  harmful integer not null default 0 check (harmful >= 0),
  status text not null default 'candidate' check (status in ('candidate', 'active', 'demoted', 'pruned')),
  -- A person made it active or demoted: votes do not change that.
  by_hand integer not null default 0 check (by_hand in (0, 1)),
  -- When a file it names was changed since; null while none was.
  stale_at text,
  pruned_at text,
  superseded_by text references learnings (id) on delete set null
);
create index idx_learnings_task_id on learnings (task_id);
create index idx_learnings_created_at on learnings (created_at);
create index idx_learnings_pruned_at on learnings (pruned_at);
create index idx_learnings_category on learnings (category);
create index idx_learnings_status on learnings (status);
create index idx_learnings_loop_id on learnings (loop_id);
create index idx_learnings_signature on learnings (signature) where signature is not null;
create index idx_learnings_superseded_by on learnings (superseded_by) where superseded_by is not null;

create table strategy_metrics (
  task_id text not null primary key references tasks (id) on delete cascade,
  total_attempts integer not null default 0,
  consecutive_failures integer not null default 0,
  last_attempt_at text,
  last_success_at text,
  difficulty_estimate text,
  suggested_model text,
  stuck_flag integer not null default 0 check (stuck_flag in (0, 1)),
  -- Why a person has to look at the task; null while none has to.
  needs_person text
);
create index idx_strategy_metrics_stuck_flag on strategy_metrics (stuck_flag);
create index idx_strategy_metrics_consecutive_failures on strategy_metrics (consecutive_failures);

-- Which learnings an iteration was given, and which were withheld to measure what they are worth.
create table injected_items (
  loop_id text not null,
  iteration integer not null,
  learning_id text not null references learnings (id) on delete cascade,
  task_id text references tasks (id) on delete set null,
  -- From 1, in the order of the prompt; withheld ones keep the place they would have had.
  position integer not null,
  withheld integer not null default 0 check (withheld in (0, 1)),
  injected_at text not null,
  -- What the executed checks said of the iteration; null until it has ended with a verification.
  vote text check (vote in ('helpful', 'harmful', 'none')),
  -- Whether that verification passed.
  passed integer check (passed in (0, 1)),
  primary key (loop_id, iteration, learning_id)
);
create index idx_injected_items_learning_id on injected_items (learning_id, withheld);

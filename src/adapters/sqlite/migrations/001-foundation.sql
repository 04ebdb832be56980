create table sessions (
  id text primary key,
  kind text not null,
  host text not null,
  pid integer not null,
  process_start text,
  boot_id text,
  version text not null,
  started_at bigint not null,
  ended_at bigint
);

create table tasks (
  id text primary key,
  title text not null,
  slug text not null,
  description text not null default '',
  parent_id text references tasks (id) on delete cascade,
  priority text not null default 'normal' check (priority in ('critical', 'high', 'normal', 'low')),
  type text,
  validation text,
  max_retries integer not null default 0,
  retries integer not null default 0,
  status text not null check (status in ('draft', 'pending', 'blocked', 'running', 'paused', 'done', 'failed', 'cancelled')),
  reason text,
  -- The failed descendant that made it blocked; empty while another one has to be named; null when blocked for its own reasons.
  blocked_by text,
  guidance text not null default '[]',
  summary text,
  -- Counters, kept by every change: dependencies not done, children, children not done,
  -- ancestors that are failed, cancelled or paused, descendants that are failed.
  blockers integer not null default 0 check (blockers >= 0),
  children integer not null default 0 check (children >= 0),
  open_children integer not null default 0 check (open_children >= 0),
  held integer not null default 0 check (held >= 0),
  failed_below integer not null default 0 check (failed_below >= 0),
  ready_since bigint,
  order_key bigint not null default 0,
  claimed_by text,
  lease_until bigint,
  token integer not null default 0,
  sequence integer not null,
  created_at bigint not null,
  updated_at bigint not null
);

-- The claim reads exactly this index: readiness is columns, never a sub-query.
-- A parent (children > 0) is in it only to run its own validation: without one it is done as soon as it would be.
create index tasks_ready on tasks (order_key, sequence)
  where status = 'pending' and blockers = 0 and open_children = 0 and held = 0;
-- Rows that a cascade still has to move or date. Empty at every commit, so looking for work costs nothing.
create index tasks_unsettled on tasks (sequence)
  where (status = 'done' and open_children > 0)
    or (status = 'pending' and failed_below > 0)
    or (status = 'pending' and children > 0 and open_children = 0 and blockers = 0 and validation is null)
    or (blocked_by is not null and failed_below = 0)
    or blocked_by = '';
create index tasks_undated on tasks (sequence)
  where status = 'pending' and blockers = 0 and open_children = 0 and held = 0 and ready_since is null;
create index tasks_outdated on tasks (sequence)
  where ready_since is not null and status <> 'running'
    and not (status = 'pending' and blockers = 0 and open_children = 0 and held = 0);
create index tasks_parent on tasks (parent_id);
create index tasks_slug on tasks (slug);
create index tasks_lease on tasks (lease_until) where lease_until is not null;
create unique index tasks_sequence on tasks (sequence);

create table task_dependencies (
  task_id text not null references tasks (id) on delete cascade,
  depends_on text not null references tasks (id) on delete cascade,
  primary key (task_id, depends_on),
  check (task_id <> depends_on)
);
create index task_dependencies_reverse on task_dependencies (depends_on);

create table task_log (
  task_id text not null references tasks (id) on delete cascade,
  seq integer not null,
  time bigint not null,
  type text not null,
  text text not null,
  primary key (task_id, seq)
);

create table loops (
  id text primary key,
  task_id text not null references tasks (id) on delete cascade,
  title text not null,
  status text not null,
  reason text,
  branch text,
  iterations integer not null default 0,
  cost_usd real,
  token integer not null default 0,
  seq integer not null,
  sequence integer not null,
  created_at bigint not null,
  updated_at bigint not null,
  state text not null
);
create index loops_task on loops (task_id, sequence);
create index loops_status on loops (status, sequence);
create unique index loops_sequence on loops (sequence);

create table iterations (
  loop_id text not null references loops (id) on delete cascade,
  number integer not null,
  attempt integer not null,
  status text not null,
  outcome text,
  started_at bigint not null,
  ended_at bigint,
  state text not null,
  primary key (loop_id, number)
);

create table events (
  loop_id text not null references loops (id) on delete cascade,
  seq integer not null,
  type text not null,
  version integer not null,
  time bigint not null,
  elapsed_ms integer not null,
  data text not null,
  hash text not null,
  primary key (loop_id, seq)
);

create table queue (
  loop_id text primary key references loops (id) on delete cascade,
  due_at bigint not null,
  owner text,
  lease_until bigint
);
create index queue_due on queue (due_at);

create table requests (
  id text primary key,
  loop_id text not null references loops (id) on delete cascade,
  kind text not null,
  at text not null,
  created_at bigint not null,
  handled_at bigint
);
create index requests_pending on requests (loop_id, created_at) where handled_at is null;

create table baselines (
  key text primary key,
  state text not null,
  report text not null,
  created_at bigint not null
);

import type { Generated, Kysely } from 'kysely';
import type { BaselineState } from '../../core/loop/event.ts';
import type { AttemptOutcome, IterationStatus, LoopStatus } from '../../core/loop/status.ts';
import type { Priority, TaskStatus } from '../../core/task/task.ts';
import type { MessageKind } from '../../core/coordinate/message.ts';
import type { NewRequest, Session } from '../../ports/store.ts';
import type {
  LearningDocumentsTable,
  LearningPostingsTable,
  LearningTermsTable,
  LearningTotalsTable,
} from './schema-learning-index.ts';
import type {
  FailureReportsTable,
  InjectedItemsTable,
  IterationOutcomesTable,
  LearningsTable,
  StrategyMetricsTable,
} from './schema-memory.ts';

/**
 * The tables of the newest migration. Portable types only: text, integers, UTC milliseconds, JSON as text.
 * Unions are trusted on the way out because every row was written through them.
 */
export interface Database {
  sessions: SessionsTable;
  tasks: TasksTable;
  task_dependencies: TaskDependenciesTable;
  task_log: TaskLogTable;
  loops: LoopsTable;
  iterations: IterationsTable;
  events: EventsTable;
  queue: QueueTable;
  requests: RequestsTable;
  baselines: BaselinesTable;
  iteration_outcomes: IterationOutcomesTable;
  failure_reports: FailureReportsTable;
  learnings: LearningsTable;
  strategy_metrics: StrategyMetricsTable;
  injected_items: InjectedItemsTable;
  learning_terms: LearningTermsTable;
  learning_documents: LearningDocumentsTable;
  learning_postings: LearningPostingsTable;
  learning_totals: LearningTotalsTable;
  counters: CountersTable;
  messages: MessagesTable;
}

/** A transaction of the store, as the aggregates see it. */
export type Db = Kysely<Database>;

export interface SessionsTable {
  id: string;
  kind: Session['kind'];
  host: string;
  pid: number;
  process_start: string | null;
  boot_id: string | null;
  version: string;
  started_at: number;
  ended_at: number | null;
}

export interface TasksTable {
  id: string;
  title: string;
  slug: string;
  description: Generated<string>;
  parent_id: string | null;
  priority: Generated<Priority>;
  type: string | null;
  validation: string | null;
  max_retries: Generated<number>;
  retries: Generated<number>;
  status: TaskStatus;
  reason: string | null;
  /** JSON. */
  guidance: Generated<string>;
  summary: string | null;
  blockers: Generated<number>;
  children: Generated<number>;
  open_children: Generated<number>;
  held: Generated<number>;
  blocked_by: string | null;
  failed_below: Generated<number>;
  ready_since: number | null;
  order_key: Generated<number>;
  claimed_by: string | null;
  lease_until: number | null;
  token: Generated<number>;
  sequence: number;
  created_at: number;
  updated_at: number;
}

interface TaskDependenciesTable {
  task_id: string;
  depends_on: string;
}

interface TaskLogTable {
  task_id: string;
  seq: number;
  time: number;
  type: string;
  text: string;
}

interface LoopsTable {
  id: string;
  task_id: string;
  title: string;
  status: LoopStatus;
  reason: string | null;
  branch: string | null;
  iterations: Generated<number>;
  cost_usd: number | null;
  token: Generated<number>;
  /** Sequence of the newest event. */
  seq: number;
  /** Order of creation. */
  sequence: number;
  created_at: number;
  updated_at: number;
  /** JSON of the folded loop without its iterations. */
  state: string;
}

interface IterationsTable {
  loop_id: string;
  number: number;
  attempt: number;
  status: IterationStatus;
  outcome: AttemptOutcome | null;
  started_at: number;
  ended_at: number | null;
  /** JSON of the folded iteration. */
  state: string;
}

export interface EventsTable {
  loop_id: string;
  seq: number;
  type: string;
  version: number;
  time: number;
  elapsed_ms: number;
  /** JSON of the event without its type. */
  data: string;
  hash: string;
  /** In one order over all loops. */
  position: number;
}

interface CountersTable {
  name: 'event_position';
  value: number;
}

interface MessagesTable {
  id: string;
  sequence: number;
  kind: MessageKind;
  sender: string;
  receiver: string;
  body: string;
  reply_to: string | null;
  created_at: number;
  acknowledged_at: number | null;
}

interface QueueTable {
  loop_id: string;
  due_at: number;
  owner: string | null;
  lease_until: number | null;
}

interface RequestsTable {
  id: string;
  loop_id: string;
  kind: NewRequest['kind'];
  at: NewRequest['when'];
  created_at: number;
  handled_at: number | null;
}

interface BaselinesTable {
  key: string;
  state: BaselineState;
  /** JSON. */
  report: string;
  created_at: number;
}

import type { BaselineState } from '../../core/loop/event.ts';
import type { AttemptOutcome, IterationStatus, LoopStatus } from '../../core/loop/status.ts';
import type { Priority, TaskStatus } from '../../core/task/task.ts';
import type { MessageKind } from '../../core/coordinate/message.ts';
import type { NewRequest, Session } from '../../ports/store.ts';
import type { Sql } from './sql.ts';

/** A transaction of the store, as the aggregates see it. */
export interface Db {
  all<Row>(query: Sql<Row>): Promise<readonly Row[]>;
  first<Row>(query: Sql<Row>): Promise<Row | undefined>;
  /** The first row of a query that always has one. */
  one<Row>(query: Sql<Row>): Promise<Row>;
  /** How many rows were changed. */
  run(query: Sql): Promise<number>;
}

/**
 * The tables of the newest migration, as rows. Portable types only: text, integers, UTC milliseconds, JSON as text.
 * Unions are trusted on the way out because every row was written through them.
 */
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
  elsewhere: number;
}

export interface PlaceTable {
  id: number;
  store_id: string;
  root: string;
  inode: string;
  machine: string;
  roots: string;
  folders: string;
  origin: string | null;
  since: number;
}

export interface OutagesTable {
  provider: string;
  since: number;
  give_up_at: number;
  failures: number;
  next_at: number;
  prober: string | null;
  is_probing: number;
  why: string;
}

export interface TasksTable {
  id: string;
  title: string;
  slug: string;
  description: string;
  parent_id: string | null;
  priority: Priority;
  type: string | null;
  validation: string | null;
  max_retries: number;
  retries: number;
  status: TaskStatus;
  reason: string | null;
  /** JSON. */
  guidance: string;
  summary: string | null;
  blockers: number;
  children: number;
  open_children: number;
  held: number;
  blocked_by: string | null;
  failed_below: number;
  ready_since: number | null;
  order_key: number;
  claimed_by: string | null;
  lease_until: number | null;
  token: number;
  sequence: number;
  created_at: number;
  updated_at: number;
}

export interface LoopsTable {
  id: string;
  task_id: string;
  title: string;
  status: LoopStatus;
  reason: string | null;
  branch: string | null;
  iterations: number;
  cost_usd: number | null;
  token: number;
  /** Sequence of the newest event. */
  seq: number;
  /** Order of creation. */
  sequence: number;
  created_at: number;
  updated_at: number;
  /** JSON of the folded loop without its iterations. */
  state: string;
}

export interface IterationsTable {
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

export interface CountersTable {
  name: 'event_position';
  value: number;
}

export interface MessagesTable {
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

export interface RequestsTable {
  id: string;
  loop_id: string;
  kind: NewRequest['kind'];
  at: NewRequest['when'];
  created_at: number;
  handled_at: number | null;
}

export interface BaselinesTable {
  key: string;
  state: BaselineState;
  /** JSON. */
  report: string;
  created_at: number;
}

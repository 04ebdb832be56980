import type { Message, MessageKind } from '../core/coordinate/message.ts';
import type { LoopEvent, RecordedEvent } from '../core/loop/event.ts';
import type { Iteration, Loop } from '../core/loop/loop.ts';
import type { LoopStatus } from '../core/loop/status.ts';
import type { Outage } from '../core/outage/outage.ts';
import type { NewTask, Task, TaskStatus } from '../core/task/task.ts';
import type { BaselineState } from '../core/loop/event.ts';
import type { VerificationReport } from '../core/verdict/report.ts';
import type { Attempts, Learnings } from './memory.ts';
import type { LearningIndex } from './learning-index.ts';
import type { Places } from './place.ts';
import type { ProcessIdentity } from './process.ts';
import type { Lease } from './lease.ts';
import type { Queue } from './queue.ts';

/**
 * The durable state of one project. Everything inside `write` commits together or not at all; a crash between
 * two calls of `write` is only a pause. No I/O other than the store's own happens inside.
 */
export interface Store extends AsyncDisposable {
  /** A short exclusive transaction. Rolls back when `work` throws. */
  write<T>(work: (tx: StoreTx) => Promise<T>): Promise<T>;
  /** A consistent view; changes are refused or lost, never partly applied. */
  read<T>(work: (tx: StoreTx) => Promise<T>): Promise<T>;
  /** Throws `store.gone` when it or its log was deleted or replaced, so that nothing is kept beside a store that is not there. */
  assertInPlace(): void;
  /** Makes a copy of it as of now, unless there is one made since then (UTC milliseconds). */
  backUp(since: number): Promise<void>;
}

export interface StoreTx {
  readonly tasks: Tasks;
  readonly loops: Loops;
  readonly queue: Queue;
  readonly sessions: Sessions;
  readonly requests: Requests;
  readonly baselines: Baselines;
  readonly attempts: Attempts;
  readonly learnings: Learnings;
  readonly learningIndex: LearningIndex;
  readonly messages: Messages;
  /**
   * Milliseconds by which leases and due times are measured: the same for every process that uses the store, and never
   * set. Close to UTC, but not to be shown or compared with a wall clock.
   */
  leaseTime(): Promise<number>;
  readonly places: Places;
  readonly gaps: Gaps;
  readonly outages: Outages;
}

/** Providers that do not answer, shared by all who use the store. */
export interface Outages {
  get(provider: string): Promise<Outage | null>;
  /** Longest first. */
  list(): Promise<readonly Outage[]>;
  put(outage: Outage): Promise<void>;
  /** It answers again. False: nobody said that it did not. */
  end(provider: string): Promise<boolean>;
}

/** What a store has lost because it was put back from a copy, or its log was deleted. It is noted when the store is opened. */
export interface Gaps {
  /** How many changes are lost that nobody was told of; 0 ordinarily. */
  untold(): Promise<number>;
  /** Somebody was told. */
  tell(): Promise<void>;
  /** Whether the newest fact of a loop is from before the gap: more may have happened to it than is stored. */
  isBehind(loopId: string): Promise<boolean>;
}

export interface Loops {
  /** Appends the first event of a loop (`loop.created`) and returns the folded loop. */
  create(event: Extract<LoopEvent, { type: 'loop.created' }>, time: number): Promise<Loop>;

  /**
   * Appends facts and writes the projection they fold into, in this transaction.
   * Refused with `store.fenced` when `token` is not the newest claim of the loop: the caller was replaced.
   * `loop` is the caller's own fold; a mismatch of its sequence with the log is refused with `store.conflict`.
   */
  append(
    input: AppendInput,
  ): Promise<{ readonly loop: Loop; readonly recorded: readonly RecordedEvent[] }>;

  /** By its projection, which is quick to read. What a verdict depends on is read by `folded`. */
  get(id: string): Promise<Loop | null>;
  /** As its log tells it, with the hash chain looked at; null when there is no such loop. */
  folded(id: string): Promise<FoldedLoop | null>;
  /** Writes the projection anew from the log. Refused with `store.log_changed` when that is not whole. */
  rebuild(id: string): Promise<void>;
  /** Newest first. */
  list(filter: LoopFilter): Promise<readonly LoopRow[]>;
  iteration(loopId: string, number: number): Promise<Iteration | null>;
  /** Events after `since`, in order, at most `limit`. */
  events(loopId: string, since: number, limit: number): Promise<readonly RecordedEvent[]>;
  /** Events of all loops after a position, in the one order they were stored in, at most `limit`. */
  feed(after: number, limit: number): Promise<readonly FeedEntry[]>;
  /** The newest position of all. No position is given twice, also when its loop is deleted. */
  position(): Promise<number>;
  /** Checks the hash chain of a loop's log; the first broken sequence, or null. */
  verifyChain(loopId: string): Promise<number | null>;
  /** Removes the loop with its events and iterations. The caller has made sure that it rests. */
  delete(id: string): Promise<void>;
  /** What all loops together have cost after a moment, in USD, as far as it is known. */
  costSince(time: number): Promise<number>;
  /** Attempts a task has had so far, over all its loops. */
  countAttempts(taskId: string): Promise<number>;
  /** The current fencing token (0 before the first claim). */
  token(id: string): Promise<number>;
}

export type FoldedLoop = {
  /** Null when the log is not even whole at its beginning. Of a broken log it is what the whole part of it says. */
  readonly loop: Loop | null;
  /** First event that is missing or is not what was written; null when the log is whole. */
  readonly brokenAt: number | null;
  /** In what the projection says something else; empty when it does not, or the log is broken. */
  readonly differs: readonly string[];
};

/** An event with its place in the order over all loops. */
export type FeedEntry = {
  readonly position: number;
  readonly loopId: string;
  readonly recorded: RecordedEvent;
};

export type AppendInput = {
  readonly loop: Loop;
  readonly token: number;
  readonly time: number;
  readonly elapsedMs: number;
  readonly events: readonly LoopEvent[];
};

export type LoopFilter = {
  readonly taskId?: string;
  readonly statuses?: readonly LoopStatus[];
  readonly limit?: number;
};

/** A loop as a line in a list. */
export type LoopRow = {
  readonly id: string;
  readonly taskId: string;
  readonly title: string;
  readonly status: LoopStatus;
  readonly reason: string | null;
  readonly iterations: number;
  readonly branch: string | null;
  readonly costUsd: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly owner: string | null;
};

export interface Tasks {
  /** Inserts a task; refuses a cycle (`task.cycle`, message shows it) and unknown references. */
  add(id: string, task: NewTask, now: number): Promise<Task>;
  /** Changes fields; dependencies and parents are checked for cycles again. */
  edit(id: string, change: Partial<NewTask>, now: number): Promise<Task>;
  addDependency(taskId: string, dependsOn: string, now: number): Promise<void>;
  removeDependency(taskId: string, dependsOn: string, now: number): Promise<void>;
  get(id: string): Promise<Task | null>;
  /** Exact id, then id prefix, then slug of the title; ambiguity is an error with the candidates. */
  resolve(reference: string): Promise<Task>;
  /** In creation order. */
  list(filter: TaskFilter): Promise<readonly Task[]>;
  dependenciesOf(id: string): Promise<readonly Task[]>;
  dependentsOf(id: string): Promise<readonly Task[]>;
  childrenOf(id: string): Promise<readonly Task[]>;
  /** All dependency edges, for trees and exports. */
  edges(): Promise<readonly { readonly taskId: string; readonly dependsOn: string }[]>;
  /** Ready tasks in the order they would be claimed. */
  ready(limit: number): Promise<readonly Task[]>;
  /** Pending tasks that come after others that are not done, in creation order. */
  waiting(limit: number): Promise<readonly Task[]>;
  /** Moves a task by the table of allowed transitions and does the cascades. Anything else throws `task.transition`. */
  transition(id: string, to: TaskStatus, change: TransitionInput): Promise<Task>;
  /** The next ready task, or this one if it is ready, in one atomic statement. Null when there is none. */
  claim(input: ClaimInput): Promise<TaskClaim | null>;
  /** The claim a task is held by now; null when nobody holds it. */
  claimOf(id: string): Promise<TaskClaim | null>;
  /** Until a lease time. False when the claim was lost. */
  renew(claim: TaskClaim, until: number): Promise<boolean>;
  /** Returns tasks whose lease has ended by this lease time to pending; `now` is when that happened. Says which. */
  expireLeases(leaseTime: number, now: number): Promise<readonly string[]>;
  release(claim: TaskClaim): Promise<void>;
  guide(id: string, text: string, now: number): Promise<void>;
  /** Takes back what a task that is done tells those behind it. */
  clearSummary(id: string, now: number): Promise<void>;
  delete(id: string): Promise<void>;
  counts(): Promise<Readonly<Record<TaskStatus, number>> & { readonly ready: number }>;
  log(
    id: string,
  ): Promise<readonly { readonly time: number; readonly type: string; readonly text: string }[]>;
}

export type TaskFilter = {
  readonly status?: TaskStatus;
  readonly parentId?: string | null;
  /** Of the title. */
  readonly slug?: string;
};

export type TransitionInput = {
  readonly now: number;
  readonly reason?: string | null;
  readonly summary?: string | null;
  /** Counts as a further try of a failed task (`retries` grows). */
  readonly retry?: boolean;
  /** Present when a worker acts: the transition is refused (`store.fenced`) if the claim is not the newest. */
  readonly claim?: TaskClaim;
};

export type ClaimInput = {
  readonly owner: string;
  /** UTC milliseconds, to be stored. */
  readonly now: number;
  readonly lease: Lease;
  /** Only this task; it may also be paused, failed or blocked when a person asks for it by name. */
  readonly taskId?: string;
  /** An owner known to be gone, whose live lease may be taken over. */
  readonly takeOver?: string;
};

export type TaskClaim = { readonly taskId: string; readonly owner: string; readonly token: number };

export interface Sessions {
  start(session: Session): Promise<void>;
  end(id: string, now: number): Promise<void>;
  get(id: string): Promise<Session | null>;
  /** Those that were not ended, oldest first: running ones, and those whose process was killed. */
  open(): Promise<readonly Session[]>;
}

export type Session = {
  readonly id: string;
  readonly kind: 'run' | 'daemon' | 'command';
  readonly process: ProcessIdentity;
  readonly version: string;
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** It ran in the place this project was copied from: its processes are not ours to end. */
  readonly isElsewhere?: true;
};

/** What people ask of a running loop from another process. Stored first, then the owner is woken. */
export interface Requests {
  add(request: NewRequest): Promise<void>;
  /** Unhandled ones for a loop, oldest first. */
  pending(loopId: string): Promise<readonly StoredRequest[]>;
  handled(id: string, now: number): Promise<void>;
}

export type NewRequest = {
  readonly id: string;
  readonly loopId: string;
  readonly kind: 'pause' | 'stop' | 'cancel';
  readonly when: 'finish' | 'cut';
  readonly now: number;
};

export type StoredRequest = NewRequest;

/** What loops and people tell each other. */
export interface Messages {
  /** Stores a message behind all others. An id that is known changes nothing and answers false. */
  add(message: NewMessage): Promise<boolean>;
  get(id: string): Promise<Message | null>;
  /** Unacknowledged ones of a receiver, in the order of arrival. */
  unread(receiver: string, limit: number): Promise<readonly Message[]>;
  countUnread(receiver: string): Promise<number>;
  /** How many a sender has sent after one moment, up to another. */
  countSent(sender: string, since: number, until: number): Promise<number>;
  /** Acknowledging twice changes nothing. */
  acknowledge(id: string, now: number): Promise<void>;
  acknowledgeAll(receiver: string, kind: MessageKind, now: number): Promise<void>;
  /** Receivers with an unacknowledged message of this kind, longest waiting first. */
  receiversOf(kind: MessageKind): Promise<readonly string[]>;
  /** The answer to a query; null when there is none yet. */
  answerTo(id: string): Promise<Message | null>;
  /** Sent or received by a loop, or all, newest first. */
  list(filter: MessageFilter): Promise<readonly Message[]>;
}

export type NewMessage = Omit<Message, 'sequence' | 'acknowledgedAt'>;

export type MessageFilter = { readonly loopId?: string; readonly limit: number };

/** Verdicts on untouched bases, reused by every loop with the same tree, checks and environment. */
export interface Baselines {
  get(key: string): Promise<StoredBaseline | null>;
  put(key: string, baseline: StoredBaseline, now: number): Promise<void>;
}

export type StoredBaseline = {
  readonly state: BaselineState;
  readonly report: VerificationReport;
};

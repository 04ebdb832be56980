import type { Loop } from '../core/loop/loop.ts';
import type { OutageState } from '../core/outage/outage-view.ts';
import type { QueueReport } from '../core/schedule/queue-report.ts';
import type { Task } from '../core/task/task.ts';
import type { LoopRow, Session } from './store.ts';

/** The queue of one engine that runs now. */
export type SessionQueue = QueueReport & {
  readonly session: string;
  readonly kind: Session['kind'];
  readonly pid: number;
};

/** A loop that should be driven, and who does. */
export type Active = { readonly loop: Loop; readonly row: LoopRow; readonly owner: Owner | null };

export type Owner = {
  readonly session: string;
  readonly kind: 'run' | 'daemon' | 'command';
  readonly pid: number;
  readonly host: string;
  readonly isAlive: boolean;
};

/** A loop that rests until a person does something; its text says what. */
export type Needed = { readonly row: LoopRow; readonly loop: Loop | null };

/** A task that cannot start yet, and the open ones it comes after. */
export type HeldTask = { readonly task: Task; readonly after: readonly Task[] };

export type Overview = {
  readonly active: readonly Active[];
  /** Loops that rest until a person does something. */
  readonly needsYou: readonly Needed[];
  /** The newest loop of every paused task. */
  readonly paused: readonly LoopRow[];
  readonly blockedTasks: readonly Task[];
  readonly next: readonly Task[];
  /** The first tasks that wait for others. */
  readonly held: readonly HeldTask[];
  readonly counts: Readonly<Record<string, number>>;
  /** Who waits for a slot, in each engine that runs. */
  readonly queues: readonly SessionQueue[];
  /** What all loops have cost within 24 hours, as far as it is known, and what they may; null: no limit. */
  readonly budget: { readonly dayUsd: number; readonly dayLimitUsd: number | null };
  /** Providers that do not answer. */
  readonly outages: readonly OutageState[];
};

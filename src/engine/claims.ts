import type { QueueClaim } from '../ports/queue.ts';
import type { TaskClaim } from '../ports/store.ts';

/** What makes a session the owner of a loop. */
export type Claims = {
  readonly claim: QueueClaim;
  readonly taskClaim: TaskClaim;
  /** The lease ends then, by `Clock.monotonic`, unless it is renewed. */
  readonly heldUntil: number;
  /** How long the loop still has to wait by its entry in the queue; null when that says nothing. */
  readonly waitLeftMs: number | null;
  /** The machine was started since the owner before had it: there may have been a power cut. */
  readonly isAfterBoot: boolean;
  /** The owner before ended while the loop was under way. */
  readonly isAfterKill: boolean;
  /** Work of the owner before that it did not live to record. */
  readonly unrecordedMs: number;
};

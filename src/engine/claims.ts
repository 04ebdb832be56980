import type { QueueClaim } from '../ports/queue.ts';
import type { TaskClaim } from '../ports/store.ts';

/** What makes a session the owner of a loop. */
export type Claims = {
  readonly claim: QueueClaim;
  readonly taskClaim: TaskClaim;
  /** The lease ends then, by `Clock.monotonic`, unless it is renewed. */
  readonly heldUntil: number;
  /** Work of the owner before that it did not live to record. */
  readonly unrecordedMs: number;
};

import type { QueueClaim } from '../ports/queue.ts';
import type { TaskClaim } from '../ports/store.ts';

/** What makes a session the owner of a loop. */
export type Claims = {
  readonly claim: QueueClaim;
  readonly taskClaim: TaskClaim;
  /** UTC milliseconds. */
  readonly leaseUntil: number;
  /** Work of the owner before that it did not live to record. */
  readonly unrecordedMs: number;
};

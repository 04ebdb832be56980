import type { Lease } from './lease.ts';

/**
 * What is due next. A loop is in the queue while somebody should drive it: from its start until it rests.
 * Enqueueing and completing happen in the store's own transaction, beside the rows they belong to. All times here are
 * lease times (`StoreTx.leaseTime`), which no setting of the system's clock changes.
 */
export interface Queue {
  /** Puts a loop in, or moves it: at most one entry per loop. Keeps an existing lease. */
  enqueue(loopId: string, dueAt: number): Promise<void>;
  /**
   * Takes a loop for `owner` until its lease ends, in one atomic statement: this one, or the one longest due.
   * Entries with a live lease of another owner are passed over, unless `takeOver` names that owner as gone.
   * Every claim raises the loop's fencing token.
   */
  claim(input: QueueClaimInput): Promise<QueueClaim | null>;
  /** False when the claim was lost. */
  renew(claim: QueueClaim, until: number): Promise<boolean>;
  /** The loop rests: out of the queue. Refused with `store.fenced` when the claim was lost. */
  complete(claim: QueueClaim): Promise<void>;
  /** Gives the loop back, due at `dueAt`, without an owner. */
  release(claim: QueueClaim, dueAt: number): Promise<void>;
  /** Everything in the queue, longest due first. */
  entries(): Promise<readonly QueueEntry[]>;
}

export type QueueClaimInput = {
  readonly owner: string;
  readonly lease: Lease;
  readonly loopId?: string;
  readonly takeOver?: string;
};

export type QueueClaim = {
  readonly loopId: string;
  readonly owner: string;
  readonly token: number;
};

export type QueueEntry = {
  readonly loopId: string;
  readonly dueAt: number;
  readonly owner: string | null;
  readonly leaseUntil: number | null;
};

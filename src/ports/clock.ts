/** Time as the engine sees it. Nothing outside the clock adapters reads a clock or sets a timer. */
export interface Clock {
  /** UTC milliseconds, for storing and showing. May jump when the system's time is corrected. */
  now(): number;
  /** Milliseconds from an arbitrary origin that never go back, for measuring and for deadlines. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with the signal's reason as soon as it is aborted. Holds nothing afterwards. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** New ids. Random, so never an order: order comes from columns. The store retries on a collision. */
export interface Ids {
  /** `t-` and 8 hex digits. */
  task(): string;
  /** `loop-` and 8 hex digits. */
  loop(): string;
  /** `l-` and 6 hex digits. */
  learning(): string;
  /** 32 hex digits nobody can guess, for leases and access. */
  token(): string;
}

/** Chance, for jitter. */
export interface Random {
  /** From 0 (included) to 1 (excluded). */
  next(): number;
}

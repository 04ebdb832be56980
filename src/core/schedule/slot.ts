/**
 * What is shared between loops and therefore limited.
 *
 * - `loop`: a loop that is driven, from its start until it rests or waits for long.
 * - `agent`: an agent program, for the life of its process.
 * - `request`: one model request, while it is in flight.
 */
export const slotKinds = ['loop', 'agent', 'request'] as const;
export type SlotKind = (typeof slotKinds)[number];

/** Somebody wants a slot. */
export type Ask = {
  /** Unique among those that wait or hold. */
  readonly id: string;
  readonly kind: SlotKind;
  /** Whose limits apply; null: nobody's. */
  readonly provider: string | null;
  /** Passes everything but the number of slots, and takes none: a native agent waits for its requests instead. */
  readonly isFree?: boolean;
  /**
   * Of a loop: its agent is a program and will take an agent slot. Behind as many of these as there are agents it would only make a
   * worktree and wait, so it gets no slot; a loop of the native agent does, and so does one that comes before those that hold one.
   */
  readonly needsAgent?: boolean;
  /** Smaller goes first, as the order of tasks: ready since, minus a minute per point of priority. Never changes. */
  readonly order: number;
};

export type Limits = {
  readonly slots: Readonly<Record<SlotKind, number>>;
  /** Requests of one provider in a sliding window. */
  readonly window: { readonly requests: number; readonly ms: number };
  /** Tokens of one provider in a sliding minute; null: no limit. */
  readonly tokensPerMinute: number | null;
  /** When loops and agents may start; empty: always. */
  readonly hours: readonly Hours[];
  /** Free bytes below which people are warned. */
  readonly warnDisk: number;
  /** Free bytes below which no loop and no agent starts. */
  readonly minDisk: number;
  /** Available bytes below which no further loop starts; the first one always does. */
  readonly minMemory: number;
  /** Asks that may wait at once; more are refused. */
  readonly maxWaiting: number;
};

/** Minutes of the day; from after to means over midnight. */
export type Hours = { readonly from: number; readonly to: number };

/** The world at one moment. */
export type Moment = {
  /** UTC milliseconds: for times that others have named. May jump. */
  readonly now: number;
  /** Milliseconds that never go back: for windows, pauses and measuring. */
  readonly tick: number;
  /** Local minute of the day. */
  readonly minute: number;
  /** Null: not known, which stands in nobody's way. */
  readonly freeDisk: number | null;
  readonly freeMemory: number | null;
};

/** Why an ask waits. `inMs`: when that ends by itself, as far as it is known. */
export type Obstacle =
  | { readonly kind: 'busy'; readonly slot: SlotKind; readonly limit: number }
  | { readonly kind: 'rate-limit'; readonly provider: string; readonly inMs: number }
  | { readonly kind: 'usage-limit'; readonly provider: string; readonly inMs: number }
  /** Without a time: one loop is finding out whether it is over. */
  | { readonly kind: 'outage'; readonly provider: string; readonly inMs?: number }
  | { readonly kind: 'request-window'; readonly provider: string; readonly inMs: number }
  | { readonly kind: 'token-window'; readonly provider: string; readonly inMs: number }
  | { readonly kind: 'hours'; readonly inMs: number }
  | { readonly kind: 'disk'; readonly free: number; readonly needed: number }
  | { readonly kind: 'memory'; readonly free: number; readonly needed: number };

/** When an obstacle ends by itself; null: when somebody gives a slot back, or the machine has room. */
export function endsInMs(obstacle: Obstacle): number | null {
  return 'inMs' in obstacle ? (obstacle.inMs ?? null) : null;
}

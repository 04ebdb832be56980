import { slotKinds, type SlotKind } from './slot.ts';

const keptWaits = 1000;

/** What the scheduler has done so far. */
export type Tally = {
  /** How long the newest grants had waited, in ms. */
  readonly waits: readonly number[];
  /** How long the newest slots were held, by kind; for estimates. */
  readonly meanHoldMs: Readonly<Record<SlotKind, number | null>>;
  readonly peaks: Readonly<Record<SlotKind, number>>;
  readonly granted: number;
  /** Given up before they were granted. */
  readonly cancelled: number;
  /** Refused because too many waited already. */
  readonly rejected: number;
};

export type Statistics = {
  readonly waitP50Ms: number;
  readonly waitP95Ms: number;
  readonly peaks: Readonly<Record<SlotKind, number>>;
  readonly granted: number;
  readonly cancelled: number;
  readonly rejected: number;
};

export const emptyTally: Tally = {
  waits: [],
  meanHoldMs: { loop: null, agent: null, request: null },
  peaks: { loop: 0, agent: 0, request: 0 },
  granted: 0,
  cancelled: 0,
  rejected: 0,
};

export function tallyGrant(
  tally: Tally,
  waitedMs: number,
  held: Readonly<Record<SlotKind, number>>,
): Tally {
  const peaks = Object.fromEntries(
    slotKinds.map((kind) => [kind, Math.max(tally.peaks[kind], held[kind])]),
  );
  return {
    ...tally,
    waits: [...tally.waits.slice(1 - keptWaits), waitedMs],
    peaks: { ...tally.peaks, ...peaks },
    granted: tally.granted + 1,
  };
}

/** A moving mean: the newest fifth counts, so that estimates follow what goes on now. */
export function tallyHold(tally: Tally, kind: SlotKind, heldMs: number): Tally {
  const mean = tally.meanHoldMs[kind];
  const next = mean === null ? heldMs : mean * 0.8 + heldMs * 0.2;
  return { ...tally, meanHoldMs: { ...tally.meanHoldMs, [kind]: next } };
}

export function statisticsOf(tally: Tally): Statistics {
  const { peaks, granted, cancelled, rejected } = tally;
  const sorted = tally.waits.toSorted((a, b) => a - b);
  return {
    waitP50Ms: percentile(sorted, 0.5),
    waitP95Ms: percentile(sorted, 0.95),
    peaks,
    granted,
    cancelled,
    rejected,
  };
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

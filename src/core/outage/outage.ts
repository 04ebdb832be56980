/**
 * A provider that does not answer, for all loops that use it. Decided purely; times are lease times unless said otherwise, so that
 * no setting of a clock changes a wait.
 */
export type Outage = {
  readonly provider: string;
  /** UTC milliseconds, for people. */
  readonly since: number;
  /** When loops stop waiting for it. */
  readonly giveUpAt: number;
  /** Probes that failed. */
  readonly failures: number;
  /** When the next probe is due. */
  readonly nextAt: number;
  /** The loop that probes, or probed last; null: none has yet. */
  readonly prober: string | null;
  /** It was told to, and nobody has said how that ended. */
  readonly isProbing: boolean;
  /** What the last failure said. */
  readonly why: string;
};

export type ProbePace = {
  readonly firstMs: number;
  readonly longestMs: number;
};

export type OutageLimits = ProbePace & { readonly maxMs: number };

/** Who looks at an outage, and what it knows. */
export type OutageView = {
  readonly loopId: string;
  readonly now: number;
  /** The loop that probes is driven by somebody, and neither rests nor waits. */
  readonly isProberAtWork: boolean;
  /** Other loops wait for the same provider. */
  readonly hasOthers: boolean;
};

export type OutageLook =
  /** The provider answers again, or nobody said that it does not. */
  | { readonly kind: 'over' }
  | { readonly kind: 'wait'; readonly leftMs: number }
  /** This loop is to find out. */
  | { readonly kind: 'probe' }
  | { readonly kind: 'give-up' };

/** Whoever probed last gives the others this much of a start. */
const headStartMs = 2000;
/** How often somebody looks whether a probe under way has ended; its end wakes them sooner. */
export const probedLookMs = 15_000;

/** 30 s, 1, 2, 4, 8 and then every 10 minutes, with the default pace. */
export function probeDelayMs(failures: number, { firstMs, longestMs }: ProbePace): number {
  return Math.min(firstMs * 2 ** Math.min(failures, 30), longestMs);
}

/** A loop was failed by its provider once too often; or again, while it is known to be down. */
export function afterFailure(
  known: Outage | null,
  failure: {
    readonly provider: string;
    readonly loopId: string;
    readonly why: string;
    readonly now: number;
    readonly wallNow: number;
  },
  limits: OutageLimits,
): Outage {
  const { provider, loopId, why, now, wallNow } = failure;
  if (known === null) {
    const times = { nextAt: now + probeDelayMs(0, limits), giveUpAt: now + limits.maxMs };
    return { provider, since: wallNow, failures: 0, ...times, prober: null, isProbing: false, why };
  }
  // Those that were under way when it went down say nothing new.
  if (known.prober !== loopId || !known.isProbing) return known;
  const failures = known.failures + 1;
  const nextAt = now + probeDelayMs(failures, limits);
  return { ...known, failures, nextAt, isProbing: false, why };
}

/** What a loop that waits for the provider, or is about to use it, has to do. */
export function lookAtOutage(outage: Outage | null, view: OutageView): OutageLook {
  if (outage === null) return { kind: 'over' };
  const { loopId, now, isProberAtWork, hasOthers } = view;
  const isOwn = outage.prober === loopId;
  if (outage.isProbing && !isOwn && isProberAtWork) return { kind: 'wait', leftMs: probedLookMs };
  if (isGivenUp(outage, now)) return { kind: 'give-up' };
  const isLast = isOwn && !outage.isProbing && hasOthers;
  const leftMs = outage.nextAt - now + (isLast ? headStartMs : 0);
  return leftMs > 0 ? { kind: 'wait', leftMs } : { kind: 'probe' };
}

/** Nobody waits for it any longer. */
export function isGivenUp({ giveUpAt }: Outage, now: number): boolean {
  return now >= giveUpAt;
}

/** This loop probes from now on. */
export function withProber(outage: Outage, loopId: string): Outage {
  return { ...outage, prober: loopId, isProbing: true };
}

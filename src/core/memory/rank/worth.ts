/** What executed checks said of an iteration that was given a learning. */
export type Vote = 'helpful' | 'harmful';

/** A check as far as votes go: its name and whether it passed; null proves nothing. */
export type VotingCheck = { readonly name: string; readonly passed: boolean | null };

/**
 * The vote of an iteration: harmful when a check that passed before now fails, else helpful when one that failed now
 * passes, else none. Checks that only one side has, or that prove nothing, say nothing.
 */
export function voteOf(before: readonly VotingCheck[], after: readonly VotingCheck[]): Vote | null {
  const earlier = new Map(before.map(({ name, passed }) => [name, passed]));
  const turned = (from: boolean): boolean =>
    after.some(({ name, passed }) => passed === !from && earlier.get(name) === from);
  if (turned(true)) return 'harmful';
  return turned(false) ? 'helpful' : null;
}

export type Evidence = {
  readonly helpful: number;
  readonly harmful: number;
  /** When it was last used, or made. UTC milliseconds. */
  readonly usedAt: number;
  /** A file it names was changed since. */
  readonly isStale: boolean;
};

export type WorthOptions = {
  readonly now: number;
  /** 90 days unless given. */
  readonly halfLifeMs?: number | undefined;
};

const day = 86_400_000;
const defaultHalfLifeMs = 90 * day;
/** 90 % one-sided. */
const z = 1.2816;
const staleFactor = 0.5;

/** Lower confidence bound of how often it helps × recency × staleness. 0..1; without votes it is the bound of one in two. */
export function worthOf(evidence: Evidence, options: WorthOptions): number {
  return helpfulBound(evidence) * recencyOf(evidence.usedAt, options) * staleness(evidence);
}

/**
 * What worth does to a score when learnings are ranked: 1 without votes, up to 2 for what helps always, down to 0.25.
 * Votes fade with the half-life, back to 1; age itself is the ranking's own, measured against the store's span.
 */
export function worthFactor(evidence: Evidence, options: WorthOptions): number {
  const neutral = helpfulBound({ helpful: 0, harmful: 0 });
  const measured = Math.min(2, Math.max(0.25, helpfulBound(evidence) / neutral));
  const faded = 1 + (measured - 1) * recencyOf(evidence.usedAt, options);
  return faded * staleness(evidence);
}

/** Wilson's lower bound over the votes and one pseudo-vote for each side, so that nothing is certain early. */
export function helpfulBound({ helpful, harmful }: Pick<Evidence, 'helpful' | 'harmful'>): number {
  const n = helpful + harmful + 2;
  const p = (helpful + 1) / n;
  const centre = p + (z * z) / (2 * n);
  const spread = z * Math.sqrt((p * (1 - p) + (z * z) / (4 * n)) / n);
  return Math.max(0, (centre - spread) / (1 + (z * z) / n));
}

/** Halves with every half-life; the future counts as now. */
export function recencyOf(
  time: number,
  { now, halfLifeMs = defaultHalfLifeMs }: WorthOptions,
): number {
  return 2 ** (-Math.max(0, now - time) / Math.max(1, halfLifeMs));
}

function staleness({ isStale }: Pick<Evidence, 'isStale'>): number {
  return isStale ? staleFactor : 1;
}

/** What is known of a lease and of the clock it was measured by. */
export type Lease = {
  readonly until: number;
  /** How long a lease lasts when it is renewed. */
  readonly lengthMs: number;
  /** How far the clock was set forward since its owner began; 0 when it was not, or nobody knows. */
  readonly jumpMs: number;
};

/**
 * Whether a lease holds. A clock that is set forward ends none: its owner, who lives, renews it by the new time within a turn.
 * No lease lies further ahead than its length, so one that would after the jump was renewed since, and counts as it is.
 */
export function leaseHolds({ until, lengthMs, jumpMs }: Lease, now: number): boolean {
  if (until > now) return true;
  const moved = until + jumpMs;
  return moved > now && moved <= now + lengthMs;
}

/** A span of lease time (`StoreTx.leaseTime`). */
export type Lease = { readonly now: number; readonly until: number };

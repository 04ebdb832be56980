import type { Settings } from '../config/schema.ts';
import type { Outage, OutageLimits } from './outage.ts';

/** An outage as people see it. Times are UTC milliseconds. */
export type OutageState = {
  readonly provider: string;
  readonly since: number;
  /** Null: it is being tried right now. */
  readonly nextTry: number | null;
  /** Loops that wait for it. */
  readonly waiting: number;
  readonly why: string;
};

export function outageLimits({ limits }: Pick<Settings, 'limits'>): OutageLimits {
  return {
    firstMs: limits['probe-delay'],
    longestMs: limits['max-probe-delay'],
    maxMs: limits['max-outage'],
  };
}

/** `now` is a lease time, `wallNow` the same moment for people. */
export function viewOutage(
  { provider, since, nextAt, isProbing, why }: Outage,
  moment: { readonly now: number; readonly wallNow: number; readonly waiting: number },
): OutageState {
  const { now, wallNow, waiting } = moment;
  const nextTry = isProbing ? null : wallNow + Math.max(0, nextAt - now);
  return { provider, since, nextTry, waiting, why };
}

import { describe, expect, it } from 'vitest';
import {
  afterFailure,
  lookAtOutage,
  probeDelayMs,
  withProber,
  type Outage,
  type OutageView,
} from '../../../src/core/outage/outage.ts';

const limits = { firstMs: 30_000, longestMs: 600_000, maxMs: 43_200_000 };
const failure = (loopId: string, now: number) => {
  return { provider: 'claude', loopId, why: '529', now, wallNow: now + 5 };
};
const view = (loopId: string, now: number, change: Partial<OutageView> = {}): OutageView => {
  return { loopId, now, isProberAtWork: true, hasOthers: true, ...change };
};
const begun: Outage = afterFailure(null, failure('a', 1000), limits);

describe('an outage', () => {
  it('is probed after 30 s, then 1, 2, 4, 8 and every 10 minutes', () => {
    const delays = [0, 1, 2, 3, 4, 5, 6, 60].map((failures) => probeDelayMs(failures, limits));
    expect(delays).toEqual([30_000, 60_000, 120_000, 240_000, 480_000, 600_000, 600_000, 600_000]);
  });

  it('begins with a failure, and is not changed by those that were under way', () => {
    expect(begun).toEqual({
      provider: 'claude',
      since: 1005,
      failures: 0,
      nextAt: 31_000,
      giveUpAt: 43_201_000,
      prober: null,
      isProbing: false,
      why: '529',
    });
    expect(afterFailure(begun, failure('b', 40_000), limits)).toBe(begun);
  });

  it('lets any loop probe when it is due, and only that one', () => {
    expect(lookAtOutage(begun, view('b', 30_999))).toEqual({ kind: 'wait', leftMs: 1 });
    expect(lookAtOutage(begun, view('b', 31_000))).toEqual({ kind: 'probe' });
    const probed = withProber(begun, 'b');
    expect(lookAtOutage(probed, view('a', 31_000))).toMatchObject({ kind: 'wait' });
    // Its own engine died and another goes on with it.
    expect(lookAtOutage(probed, view('b', 31_000))).toEqual({ kind: 'probe' });
    expect(lookAtOutage(probed, view('a', 31_000, { isProberAtWork: false }))).toEqual({
      kind: 'probe',
    });
  });

  it('lets others go first after a probe in vain', () => {
    const failed = afterFailure(withProber(begun, 'b'), failure('b', 32_000), limits);
    expect(failed).toMatchObject({ failures: 1, nextAt: 92_000, isProbing: false });
    expect(lookAtOutage(failed, view('a', 92_000))).toEqual({ kind: 'probe' });
    expect(lookAtOutage(failed, view('b', 92_000))).toEqual({ kind: 'wait', leftMs: 2000 });
    expect(lookAtOutage(failed, view('b', 92_000, { hasOthers: false }))).toEqual({
      kind: 'probe',
    });
  });

  it('is given up after its time, but not while it is being probed', () => {
    const late = view('a', begun.giveUpAt);
    expect(lookAtOutage(begun, late)).toEqual({ kind: 'give-up' });
    expect(lookAtOutage(withProber(begun, 'b'), late)).toMatchObject({ kind: 'wait' });
    expect(lookAtOutage(null, late)).toEqual({ kind: 'over' });
  });
});

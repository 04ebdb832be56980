import { describe, expect, it } from 'vitest';
import type { AgentOutcome } from '../../../src/core/agent/outcome.ts';
import { afterAgent } from '../../../src/core/loop/agent-policy.ts';
import { shows } from '../../support/shows.ts';

const done: AgentOutcome = {
  kind: 'done',
  finalText: '',
  sessionId: null,
  tokens: null,
  costUsd: null,
  model: null,
  turns: null,
  contextPercent: null,
  retryAfterMs: null,
  resetAtMs: null,
  evidence: 'e',
};

const input = {
  apiErrors: 0,
  hangs: 0,
  apiRetries: 3,
  isDown: false,
  hasAnswered: false,
  pace: { firstMs: 30_000, longestMs: 600_000 },
  now: 1_000_000,
  chance: 0.5,
};

describe('what follows an agent run', () => {
  it('waits as long as the provider says after a rate limit', () => {
    shows('002.rate-limit-waits');
    const outcome = { ...done, kind: 'rate_limited', retryAfterMs: 7000 } as const;
    expect(afterAgent(outcome, input)).toMatchObject({
      kind: 'again',
      condition: 'rate_limit',
      waitMs: 7000,
    });
  });

  it('waits a minute after a rate limit without a time, and never for an absurd one', () => {
    expect(afterAgent({ ...done, kind: 'rate_limited' }, input)).toMatchObject({
      waitMs: 60_000,
    });
    const absurd = { ...done, kind: 'rate_limited', retryAfterMs: 1e15 } as const;
    expect(afterAgent(absurd, input)).toMatchObject({ waitMs: 7 * 24 * 3_600_000 });
    const negative = { ...done, kind: 'rate_limited', retryAfterMs: -5 } as const;
    expect(afterAgent(negative, input)).toMatchObject({ waitMs: 1000 });
  });

  it('waits until the usage window resets, and never in a hot loop when that time has passed', () => {
    const outcome = { ...done, kind: 'usage_limit', resetAtMs: 1_090_000 } as const;
    expect(afterAgent(outcome, input)).toMatchObject({ condition: 'usage_limit', waitMs: 90_000 });
    const near = (inMs: number) => ({ ...outcome, resetAtMs: input.now + inMs });
    expect(afterAgent(near(20_000), input)).toMatchObject({ waitMs: 20_000 });
    expect(afterAgent(near(1), input)).toMatchObject({ waitMs: 5000 });
    const past = { ...done, kind: 'usage_limit', resetAtMs: 5 } as const;
    expect(afterAgent(past, input)).toMatchObject({ waitMs: 60_000 });
    expect(afterAgent({ ...done, kind: 'usage_limit' }, input)).toMatchObject({ waitMs: 300_000 });
  });

  it('retries API errors three times, doubling with 25 % jitter, then takes the provider for down', () => {
    shows('002.network-retried', '002.network-forever');
    const outcome = { ...done, kind: 'api_error' } as const;
    const waits = [1, 2, 3].map((tries) => afterAgent(outcome, { ...input, apiErrors: tries }));
    expect(waits.map((wait) => (wait.kind === 'again' ? wait.waitMs : null))).toEqual([
      1000, 2000, 4000,
    ]);
    expect(afterAgent(outcome, { ...input, apiErrors: 1, chance: 0 })).toMatchObject({
      waitMs: 750,
    });
    expect(afterAgent(outcome, { ...input, apiErrors: 1, chance: 1 })).toMatchObject({
      waitMs: 1250,
    });
    expect(afterAgent(outcome, { ...input, apiErrors: 4 })).toEqual({ kind: 'outage', text: 'e' });
  });

  it('joins those who wait for a provider that is known to be down, without retries of its own', () => {
    const outcome = { ...done, kind: 'api_error' } as const;
    const down = { ...input, isDown: true, apiErrors: 1 };
    expect(afterAgent(outcome, down)).toEqual({ kind: 'outage', text: 'e' });
  });

  it('lets a loop wait for itself whose requests fail while others are answered, and then end its iteration', () => {
    const outcome = { ...done, kind: 'api_error' } as const;
    const alone = { ...input, hasAnswered: true };
    const after = [4, 5, 6, 7, 8, 9].map((apiErrors) =>
      afterAgent(outcome, { ...alone, apiErrors }),
    );
    expect(after.map((next) => (next.kind === 'again' ? next.waitMs : next.kind))).toEqual([
      30_000,
      60_000,
      120_000,
      240_000,
      480_000,
      'proceed',
    ]);
  });

  it.each([0, 1, 3, 5])(
    'waits five times for itself, however often it repeats a request: %d',
    (retries) => {
      const outcome = { ...done, kind: 'api_error', retries } as const;
      const runs = Array.from({ length: 12 }, (_, run) => {
        const apiErrors = (run + 1) * (1 + retries);
        return afterAgent(outcome, { ...input, hasAnswered: true, apiErrors });
      });
      const waits = runs.flatMap((next) =>
        next.kind === 'again' && next.waitMs >= 30_000 ? [next.waitMs / 1000] : [],
      );
      expect(waits).toEqual([30, 60, 120, 240, 480]);
    },
  );

  it('repeats no request that is at fault itself', () => {
    const outcome = { ...done, kind: 'api_error', fault: 'request' } as const;
    const next = afterAgent(outcome, { ...input, isDown: true, apiErrors: 1 });
    expect(next).toEqual({ kind: 'proceed' });
  });

  it('starts a hung agent again once', () => {
    expect(afterAgent({ ...done, kind: 'hung' }, { ...input, hangs: 1 })).toMatchObject({
      kind: 'again',
      waitMs: 0,
    });
    expect(afterAgent({ ...done, kind: 'hung' }, { ...input, hangs: 2 })).toEqual({
      kind: 'proceed',
    });
  });

  it('lets every other ending go on to its snapshot', () => {
    for (const kind of ['done', 'refused', 'auth', 'crashed', 'timeout', 'interrupted'] as const) {
      expect(afterAgent({ ...done, kind }, input)).toEqual({ kind: 'proceed' });
    }
  });
});

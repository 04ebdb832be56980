import type { Limits, Moment, Obstacle } from './slot.ts';

const minuteMs = 60_000;
const longestPauseMs = 64_000;

/** What is known of one provider. */
export type Provider = {
  /** Ticks at which its requests began, oldest first; none older than the window. */
  readonly requests: readonly number[];
  readonly tokens: readonly { readonly tick: number; readonly count: number }[];
  /** Tick until which it gets nothing after a 429; 0: not paused. */
  readonly pausedUntil: number;
  /** 429s in a row, each after a pause was over. */
  readonly refusals: number;
  /** UTC time at which its usage window opens again; 0: it is open. */
  readonly closedUntil: number;
};

export const unknownProvider: Provider = {
  requests: [],
  tokens: [],
  pausedUntil: 0,
  refusals: 0,
  closedUntil: 0,
};

/** A 429: as long as the provider says, else 1, 2, 4 … 64 seconds. Those that were on their way count once. */
export function pauseProvider(
  provider: Provider,
  retryAfterMs: number | null,
  { tick }: Moment,
): Provider {
  const isNew = tick >= provider.pausedUntil;
  const refusals = isNew ? provider.refusals + 1 : provider.refusals;
  const backoff = Math.min(1000 * 2 ** Math.max(0, refusals - 1), longestPauseMs);
  const until = tick + Math.max(0, retryAfterMs ?? (isNew ? backoff : 0));
  return { ...provider, refusals, pausedUntil: Math.max(provider.pausedUntil, until) };
}

export function closeProvider(provider: Provider, until: number): Provider {
  return { ...provider, closedUntil: Math.max(provider.closedUntil, until) };
}

/** It has answered: the next 429 is a first one again. */
export function answered(provider: Provider): Provider {
  return provider.refusals === 0 ? provider : { ...provider, refusals: 0 };
}

export function spendTokens(provider: Provider, count: number, { tick }: Moment): Provider {
  const kept = provider.tokens.filter((each) => tick - each.tick < minuteMs);
  return { ...provider, tokens: [...kept, { tick, count }] };
}

/** A request begins now. */
export function countRequest(provider: Provider, limits: Limits, { tick }: Moment): Provider {
  const kept = provider.requests.filter((each) => tick - each < limits.window.ms);
  return { ...provider, requests: [...kept, tick] };
}

/** What keeps everything of this provider waiting. */
export function providerObstacle(
  name: string,
  provider: Provider,
  { now, tick }: Moment,
): Obstacle | null {
  if (now < provider.closedUntil) {
    return { kind: 'usage-limit', provider: name, inMs: provider.closedUntil - now };
  }
  if (tick < provider.pausedUntil) {
    return { kind: 'rate-limit', provider: name, inMs: provider.pausedUntil - tick };
  }
  return null;
}

/** What keeps one more request of this provider waiting. */
export function windowObstacle(
  name: string,
  provider: Provider,
  limits: Limits,
  { tick }: Moment,
): Obstacle | null {
  const { requests, ms } = limits.window;
  const recent = provider.requests.filter((each) => tick - each < ms);
  const leaving = recent.at(-requests);
  if (leaving !== undefined) {
    return { kind: 'request-window', provider: name, inMs: leaving + ms - tick };
  }
  return tokenObstacle(name, provider, limits.tokensPerMinute, tick);
}

function tokenObstacle(
  name: string,
  { tokens }: Provider,
  limit: number | null,
  tick: number,
): Obstacle | null {
  if (limit === null) return null;
  const recent = tokens.filter((each) => tick - each.tick < minuteMs);
  let sum = recent.reduce((all, { count }) => all + count, 0);
  for (const each of recent) {
    if (sum < limit) return null;
    sum -= each.count;
    if (sum < limit) {
      return { kind: 'token-window', provider: name, inMs: each.tick + minuteMs - tick };
    }
  }
  return null;
}

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
  /** It does not answer; null: as far as is known it does. */
  readonly down: Down | null;
  /** Nobody is signed in with it: it gets nothing in this run. */
  readonly isShut: boolean;
  /** Tick at which a run of an agent last ended well; null: none has. */
  readonly answeredAt: number | null;
};

/** One loop at a time is let through when it is time to look, and finds out. */
type Down = {
  /** Tick before which nobody is. */
  readonly until: number;
  /** The ask that was let through; null: none since the last look. */
  readonly tried: string | null;
};

export const unknownProvider: Provider = {
  requests: [],
  tokens: [],
  pausedUntil: 0,
  refusals: 0,
  closedUntil: 0,
  down: null,
  isShut: false,
  answeredAt: null,
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
export function answered(provider: Provider, { tick }: Moment): Provider {
  return { ...provider, refusals: 0, answeredAt: tick };
}

/** It does not answer; the next look is due after so many milliseconds. */
export function takeDown(provider: Provider, inMs: number, { tick }: Moment): Provider {
  const isDue = inMs <= 0;
  // Saying again that it is time to look lets nobody else through.
  const tried = isDue ? (provider.down?.tried ?? null) : null;
  return { ...provider, down: { until: tick + Math.max(0, inMs), tried } };
}

export function bringUp(provider: Provider): Provider {
  return provider.down === null ? provider : { ...provider, down: null };
}

/** Whoever gets a loop slot of a provider that is down is the one that finds out. */
export function letThrough(provider: Provider, id: string): Provider {
  return provider.down === null ? provider : { ...provider, down: { ...provider.down, tried: id } };
}

/** The slot was given back: another one may find out. */
export function comeBack(provider: Provider, id: string): Provider {
  const { down } = provider;
  return down?.tried === id ? { ...provider, down: { ...down, tried: null } } : provider;
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

/** What keeps a loop of this provider from starting or going on. Its agents and requests are sent by loops that may. */
export function outageObstacle(
  name: string,
  { down }: Provider,
  id: string,
  { tick }: Moment,
): Obstacle | null {
  if (down === null || down.tried === id) return null;
  if (tick < down.until) return { kind: 'outage', provider: name, inMs: down.until - tick };
  return down.tried === null ? null : { kind: 'outage', provider: name };
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

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AgentOutcome } from '../../../src/core/agent/outcome.ts';
import { afterAgent } from '../../../src/core/loop/agent-policy.ts';
import {
  afterFailure,
  lookAtOutage,
  withProber,
  type Outage,
} from '../../../src/core/outage/outage.ts';

const minute = 60_000;
const limits = { firstMs: 30_000, longestMs: 10 * minute, maxMs: 12 * 60 * minute };
const failed: AgentOutcome = {
  kind: 'api_error',
  finalText: '',
  sessionId: null,
  tokens: null,
  costUsd: null,
  model: null,
  turns: null,
  contextPercent: null,
  retryAfterMs: null,
  resetAtMs: null,
  evidence: '529',
};

/** Spans in which the provider is down, one after the other. */
type Weather = readonly { readonly upMs: number; readonly downMs: number }[];

const arbitraryWeather: fc.Arbitrary<Weather> = fc.array(
  fc.record({
    upMs: fc.integer({ min: 11 * minute, max: 60 * minute }),
    downMs: fc.integer({ min: 1000, max: 90 * minute }),
  }),
  { maxLength: 6 },
);

type Member = {
  readonly id: string;
  /** Runs that it still wants. */
  left: number;
  state: 'ready' | 'waiting' | 'at-work';
  at: number;
  apiErrors: number;
  failedAt: number | null;
  isProbe: boolean;
  isDoomed: boolean;
};

/** Loops that each want some runs of their agent, with the row they share and nothing else. */
class Fleet {
  readonly #weather: Weather;
  row: Outage | null = null;
  now = 0;
  /** Probes of each outage, in order. */
  readonly probes: { readonly loopId: string; readonly at: number }[] = [];
  calls = 0;
  readonly #loops: Member[];
  #answeredAt = -1;

  constructor(weather: Weather, count: number) {
    this.#weather = weather;
    this.#loops = Array.from({ length: count }, (_, index) => ({
      id: `loop-${index}`,
      left: 3,
      state: 'ready' as const,
      at: 0,
      apiErrors: 0,
      failedAt: null,
      isProbe: false,
      isDoomed: false,
    }));
  }

  get isDone(): boolean {
    return this.#loops.every(({ left }) => left === 0);
  }

  get #isDown(): boolean {
    let time = this.now;
    for (const { upMs, downMs } of this.#weather) {
      if (time < upMs) return false;
      time -= upMs;
      if (time < downMs) return true;
      time -= downMs;
    }
    return false;
  }

  /** The one that is due first goes on. */
  step(runMs: number, chance: number): void {
    const due = this.#loops.filter(({ left }) => left > 0).toSorted((a, b) => a.at - b.at);
    const [loop] = due;
    if (loop === undefined) return;
    this.now = Math.max(this.now, loop.at);
    if (loop.state === 'at-work') this.#end(loop, chance);
    else this.#start(loop, runMs);
    expect(this.#loops.filter(({ isProbe }) => isProbe).length).toBeLessThanOrEqual(1);
  }

  #start(loop: Member, runMs: number): void {
    const prober = this.#loops.find(({ id }) => id === this.row?.prober);
    const look = lookAtOutage(this.row, {
      loopId: loop.id,
      now: this.now,
      isProberAtWork: prober?.state === 'at-work',
      hasOthers: this.#loops.some(({ id, state }) => id !== loop.id && state === 'waiting'),
    });
    expect(look.kind).not.toBe('give-up');
    if (look.kind === 'wait') {
      loop.state = 'waiting';
      loop.at = this.now + look.leftMs;
      return;
    }
    if (loop.state === 'waiting') loop.apiErrors = 0;
    if (look.kind === 'probe' && this.row !== null) {
      this.row = withProber(this.row, loop.id);
      this.probes.push({ loopId: loop.id, at: this.now });
      loop.isProbe = true;
    }
    this.calls += 1;
    loop.state = 'at-work';
    loop.isDoomed = this.#isDown;
    // The first answer shows that it is over, long before the run has ended.
    if (!loop.isDoomed) {
      this.row = null;
      loop.isProbe = false;
    }
    loop.at = this.now + (loop.isDoomed ? 1000 : runMs);
  }

  #end(loop: Member, chance: number): void {
    loop.state = 'ready';
    loop.isProbe = false;
    if (!loop.isDoomed) {
      loop.left -= 1;
      loop.apiErrors = 0;
      loop.failedAt = null;
      this.#answeredAt = this.now;
      this.row = null;
      return;
    }
    loop.apiErrors += 1;
    const hasAnswered = loop.failedAt !== null && this.#answeredAt > loop.failedAt;
    loop.failedAt = this.now;
    const next = afterAgent(failed, {
      apiErrors: loop.apiErrors,
      hangs: 0,
      apiRetries: 3,
      isDown: this.row !== null,
      hasAnswered,
      pace: limits,
      now: this.now,
      chance,
    });
    // Whatever the weather: nothing of it ends an iteration, so nothing is counted, remembered or escalated.
    if (next.kind === 'proceed') throw new Error(`${loop.id} was made to pay for an outage`);
    if (next.kind === 'again') {
      loop.at = this.now + next.waitMs;
      return;
    }
    const failure = {
      provider: 'p',
      loopId: loop.id,
      why: '529',
      now: this.now,
      wallNow: this.now,
    };
    this.row = afterFailure(this.row, failure, limits);
    loop.failedAt = null;
    loop.state = 'waiting';
    loop.at = this.row.nextAt;
  }
}

test('a fleet lives through any outages: nothing counts, one probes at a time, all go on', () => {
  fc.assert(
    fc.property(
      arbitraryWeather,
      fc.integer({ min: 1, max: 6 }),
      fc.array(fc.integer({ min: 1000, max: 20 * minute }), { minLength: 1, maxLength: 20 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (weather, count, runs, chance) => {
        const fleet = new Fleet(weather, count);
        for (let turn = 0; !fleet.isDone; turn++) {
          expect(turn).toBeLessThan(20_000);
          fleet.step(runs[turn % runs.length] ?? 1000, chance);
        }
        expect(fleet.row).toBeNull();
        // Never sooner than the first pace allows, whoever makes them.
        for (const [index, { at }] of fleet.probes.entries()) {
          const before = fleet.probes[index - 1];
          if (before !== undefined) expect(at - before.at).toBeGreaterThanOrEqual(30_000);
        }
      },
    ),
    { numRuns: 300 },
  );
});

test('an outage of three minutes costs a fleet of five a handful of calls', () => {
  const fleet = new Fleet([{ upMs: 11 * minute, downMs: 3 * minute }], 5);
  for (let turn = 0; !fleet.isDone; turn++) fleet.step(4 * minute + turn * 1000, 0.5);
  const lost = fleet.calls - 15;
  // Those under way once each, the first one three times more, and probes after 30, 90 and 210 s.
  expect(lost).toBeLessThanOrEqual(5 + 3 + 3);
});

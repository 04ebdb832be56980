import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { viewQueue } from '../../../src/core/schedule/queue-view.ts';
import {
  createSchedule,
  heldSlots,
  agentsBefore,
  obstacleFor,
  step,
  type Change,
  type Schedule,
} from '../../../src/core/schedule/schedule.ts';
import { slotKinds, type Ask, type Limits, type Moment } from '../../../src/core/schedule/slot.ts';

const providers = ['claude', 'codex'] as const;

const arbitraryLimits: fc.Arbitrary<Limits> = fc.record({
  slots: fc.record({
    loop: fc.integer({ min: 1, max: 3 }),
    agent: fc.integer({ min: 1, max: 3 }),
    request: fc.integer({ min: 1, max: 3 }),
  }),
  window: fc.record({
    requests: fc.integer({ min: 1, max: 4 }),
    ms: fc.integer({ min: 10, max: 500 }),
  }),
  tokensPerMinute: fc.option(fc.integer({ min: 1, max: 50 }), { nil: null }),
  hours: fc.constantFrom([], [{ from: 600, to: 610 }]),
  warnDisk: fc.constant(200),
  minDisk: fc.constant(100),
  minMemory: fc.constant(100),
  maxWaiting: fc.constant(1000),
});

/** What people and agents do, without ids: those depend on what has happened before. */
type Deed =
  | { readonly do: 'ask'; readonly ask: Omit<Ask, 'id'> }
  | { readonly do: 'give-back' | 'give-up'; readonly which: number }
  | { readonly do: 'tell'; readonly change: Change }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'machine'; readonly freeDisk: number; readonly freeMemory: number };

const provider = fc.constantFrom(...providers);
const arbitraryDeed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('ask' as const), ask: arbitraryAsk() }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom('give-back' as const, 'give-up' as const),
      which: fc.nat(20),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('tell' as const), change: arbitraryTelling() }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('pass' as const),
      ms: fc.integer({ min: 1, max: 400 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('machine' as const),
      freeDisk: fc.constantFrom(50, 1000),
      freeMemory: fc.constantFrom(50, 1000),
    }),
  },
);

function arbitraryAsk(): fc.Arbitrary<Omit<Ask, 'id'>> {
  return fc.record({
    kind: fc.constantFrom(...slotKinds),
    provider: fc.option(provider, { nil: null }),
    order: fc.integer({ min: 0, max: 5 }),
    needsAgent: fc.boolean(),
  });
}

function arbitraryTelling(): fc.Arbitrary<Change> {
  return fc.oneof(
    fc.record({
      type: fc.constant('rate-limited' as const),
      provider,
      retryAfterMs: fc.option(fc.nat(300), { nil: null }),
    }),
    fc.record({
      type: fc.constant('usage-limited' as const),
      provider,
      until: fc.integer({ min: 0, max: 2000 }),
    }),
    fc.record({ type: fc.constant('answered' as const), provider }),
    fc.record({ type: fc.constant('down' as const), provider, inMs: fc.nat(300) }),
    fc.record({ type: fc.constant('up' as const), provider }),
    fc.record({ type: fc.constant('spent' as const), provider, tokens: fc.nat(40) }),
  );
}

/** The scheduler beside a plain record of what it has said, checked after each deed. */
class Simulation {
  schedule: Schedule;
  moment: Moment = { now: 0, tick: 0, minute: 600, freeDisk: 1000, freeMemory: 1000 };
  readonly waiting = new Map<string, Ask>();
  readonly holding = new Map<string, Ask>();
  /** When each request of a provider began. */
  readonly requests: { provider: string; tick: number }[] = [];
  #asked = 0;

  constructor(limits: Limits) {
    this.schedule = createSchedule(limits);
  }

  act(deed: Deed): void {
    switch (deed.do) {
      case 'ask': {
        const ask = { ...deed.ask, id: `ask-${++this.#asked}` };
        this.waiting.set(ask.id, ask);
        return this.change({ type: 'ask', ask });
      }
      case 'give-back':
        return this.release(this.holding, deed.which);
      case 'give-up':
        return this.release(this.waiting, deed.which);
      case 'tell':
        return this.change(deed.change);
      case 'pass':
        return this.pass(deed.ms);
      case 'machine':
        this.moment = { ...this.moment, freeDisk: deed.freeDisk, freeMemory: deed.freeMemory };
        return this.change({ type: 'look' });
    }
  }

  release(from: Map<string, Ask>, which: number): void {
    const id = [...from.keys()][which % Math.max(1, from.size)];
    if (id === undefined) return;
    from.delete(id);
    this.change({ type: 'release', id });
  }

  pass(ms: number): void {
    const { now, tick } = this.moment;
    const minute = (600 + Math.floor((tick + ms) / 60_000)) % 1440;
    this.moment = { ...this.moment, now: now + ms, tick: tick + ms, minute };
    this.change({ type: 'look' });
  }

  change(change: Change): void {
    const { schedule, granted } = step(this.schedule, change, this.moment);
    this.schedule = schedule;
    for (const ask of granted) {
      expect(this.waiting.delete(ask.id)).toBe(true);
      this.holding.set(ask.id, ask);
      if (ask.kind === 'request' && ask.provider !== null)
        this.requests.push({ provider: ask.provider, tick: this.moment.tick });
    }
    this.#check();
  }

  #check(): void {
    const { limits, held, waiting } = this.schedule;
    // Cancelled and released ones left no trace; nobody is lost, nobody is there twice.
    expect([...held.keys()].toSorted()).toEqual([...this.holding.keys()].toSorted());
    expect(waiting.map(({ ask }) => ask.id).toSorted()).toEqual(
      [...this.waiting.keys()].toSorted(),
    );
    const counts = heldSlots(held);
    for (const kind of slotKinds) expect(counts[kind]).toBeLessThanOrEqual(limits.slots[kind]);
    // More loops than agents only where a later one comes before those that had begun.
    for (const { ask } of waiting) {
      if (ask.kind !== 'loop' || ask.needsAgent !== true) continue;
      const obstacle = obstacleFor(this.schedule, ask, this.moment);
      if (obstacle?.kind === 'busy' && obstacle.slot === 'agent')
        expect(agentsBefore(held, ask)).toBeGreaterThanOrEqual(limits.slots.agent);
    }
    for (const name of providers) {
      const recent = this.requests.filter(
        (each) => each.provider === name && this.moment.tick - each.tick < limits.window.ms,
      );
      expect(recent.length).toBeLessThanOrEqual(limits.window.requests);
    }
    // No lost wake-up: nobody waits who could have a slot.
    for (const { ask } of waiting)
      expect(obstacleFor(this.schedule, ask, this.moment)).not.toBeNull();
    this.#checkView();
  }

  /** Everybody is shown once, in order, with a reason that holds. */
  #checkView(): void {
    const places = viewQueue(this.schedule, this.moment);
    expect(places.map(({ id }) => id)).toEqual(this.schedule.waiting.map(({ ask }) => ask.id));
    for (const kind of slotKinds) {
      const positions = places
        .filter((place) => place.kind === kind)
        .map((place) => place.position);
      expect(positions).toEqual(positions.map((_, index) => index + 1));
    }
    const counts = heldSlots(this.schedule.held);
    for (const { kind, obstacle, estimateMs } of places) {
      if (obstacle.kind === 'busy') {
        // A loop that waits for an agent is judged by those before it, above.
        const isJudged = kind === 'loop' && obstacle.slot === 'agent';
        if (!isJudged) expect(counts[obstacle.slot]).toBe(obstacle.limit);
      }
      if ('inMs' in obstacle) {
        expect(obstacle.inMs).toBeGreaterThan(0);
        expect(estimateMs).toBe(obstacle.inMs);
      }
      if (obstacle.kind === 'disk') expect(this.moment.freeDisk).toBeLessThan(obstacle.needed);
      if (obstacle.kind === 'memory') expect(counts.loop).toBeGreaterThan(0);
    }
  }
}

function simulate(limits: Limits, deeds: readonly Deed[]): Simulation {
  const simulation = new Simulation(limits);
  for (const deed of deeds) simulation.act(deed);
  return simulation;
}

const runs = { numRuns: 300 };
const arbitraryDeeds = fc.array(arbitraryDeed, { maxLength: 60 });

describe('whatever happens', () => {
  it('limits hold, nobody is lost, nobody waits who could go, and the queue tells the truth', () => {
    fc.assert(
      fc.property(arbitraryLimits, arbitraryDeeds, (limits, deeds) => {
        simulate(limits, deeds);
      }),
      runs,
    );
  });

  it('everybody who waits gets a slot once slots are given back and time passes', () => {
    fc.assert(
      fc.property(arbitraryLimits, arbitraryDeeds, (limits, deeds) => {
        const simulation = simulate(limits, deeds);
        simulation.act({ do: 'machine', freeDisk: 1000, freeMemory: 1000 });
        for (let turn = 0; simulation.waiting.size > 0; turn++) {
          expect(turn).toBeLessThan(500);
          while (simulation.holding.size > 0) simulation.release(simulation.holding, 0);
          const { lookInMs } = step(simulation.schedule, { type: 'look' }, simulation.moment);
          // Nothing is held any more, so only time can stand in the way, and it is told how much.
          if (simulation.waiting.size > 0 && simulation.holding.size === 0)
            expect(lookInMs).not.toBeNull();
          simulation.pass(lookInMs ?? 1);
        }
      }),
      runs,
    );
  });

  it('nobody is overtaken by a later one of the same kind and provider', () => {
    fc.assert(
      fc.property(arbitraryLimits, arbitraryDeeds, (limits, deeds) => {
        const simulation = new Simulation(limits);
        for (const deed of deeds) {
          const before = simulation.schedule.waiting.map(({ ask }) => ask);
          simulation.act(deed);
          const isGranted = (ask: Ask) => simulation.holding.has(ask.id);
          for (const [index, ask] of before.entries()) {
            if (!isGranted(ask)) continue;
            const passedOver = before
              .slice(0, index)
              .filter((each) => each.kind === ask.kind && each.provider === ask.provider)
              .filter((each) => each.needsAgent === ask.needsAgent)
              .filter((each) => simulation.waiting.has(each.id));
            expect(passedOver).toEqual([]);
          }
        }
      }),
      runs,
    );
  });
});

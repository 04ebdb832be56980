import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../src/core/config/schema.ts';
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts';
import { limitsOf, Slots, type SlotAsk } from '../../src/engine/slots.ts';
import type { LiveEvent } from '../../src/ports/live.ts';
import { shows } from '../support/shows.ts';

const never = new AbortController().signal;

function slotsFor(agents: number, room = { disk: 1e12, memory: 1e12 }) {
  const live: LiveEvent[] = [];
  const limits = limitsOf(defaultSettings());
  const slots = new Slots({
    clock: createSystemClock(),
    machine: { freeDisk: async () => room.disk, freeMemory: () => room.memory },
    publish: (event) => live.push(event),
    limits: { ...limits, slots: { ...limits.slots, agent: agents } },
  });
  return { slots, live };
}

const agent = (key: string, change: Partial<SlotAsk> = {}): SlotAsk => ({
  kind: 'agent',
  key,
  provider: 'claude',
  order: 0,
  ...change,
});

describe('a slot', () => {
  it('is taken at once when it is free, and again at no cost by who has it', async () => {
    shows('002.flow-wait-for-slot');
    const { slots, live } = slotsFor(1);
    await slots.take(agent('a'), never);
    await slots.take(agent('a'), AbortSignal.abort());
    expect(slots.holds('agent', 'a')).toBe(true);
    expect(live).toEqual([]);
  });

  it('is told of when several may be held at once, before anybody has to wait', () => {
    const { slots, live } = slotsFor(1);
    slots.limits = { ...slots.limits, slots: { ...slots.limits.slots, loop: 1 } };
    expect(live).toEqual([]);
    slots.limits = { ...slots.limits, slots: { ...slots.limits.slots, loop: 3 } };
    expect(live).toMatchObject([{ kind: 'queue', queue: { places: [], limits: { loop: 3 } } }]);
  });

  it('goes to the next one the moment it is given back', async () => {
    shows('002.flow-give-slot-back');
    const { slots } = slotsFor(1);
    await slots.take(agent('a'), never);
    const waiting = slots.take(agent('b'), never);
    while (slots.queue.places.length === 0) await Promise.resolve();
    slots.give('agent', 'a');
    expect(slots.holds('agent', 'b')).toBe(true);
    await waiting;
    slots.give('agent', 'b');
    slots.give('agent', 'b');
    expect(slots.queue).toMatchObject({ places: [], held: { agent: 0 } });
  });

  it('is not handed on when the disk has filled up meanwhile: refused, or waited for again', async () => {
    const room = { disk: 1e12, memory: 1e12 };
    const { slots } = slotsFor(1, room);
    slots.waitsForDisk = false;
    await slots.take(agent('a'), never);
    const refused = slots.take(agent('b'), never);
    while (slots.queue.places.length === 0) await Promise.resolve();
    room.disk = 1;
    slots.give('agent', 'a');
    await expect(refused).rejects.toMatchObject({ code: 'disk.full' });
    expect(slots.queue).toMatchObject({ places: [], held: { agent: 0 } });
    room.disk = 1e12;
    slots.waitsForDisk = true;
    await slots.take(agent('a'), never);
    const stop = new AbortController();
    const waits = slots.take(agent('b'), stop.signal);
    while (slots.queue.places.length === 0) await Promise.resolve();
    room.disk = 1;
    slots.give('agent', 'a');
    while (slots.queue.places[0]?.obstacle.kind !== 'disk')
      await new Promise((resolve) => setImmediate(resolve));
    stop.abort(new Error('enough'));
    await expect(waits).rejects.toThrow('enough');
  });

  it('is not waited for any more when the signal comes, and nothing is left of the wait', async () => {
    const { slots, live } = slotsFor(1);
    await slots.take(agent('a'), never);
    const giveUp = new AbortController();
    const waiting = slots.take(agent('b'), giveUp.signal);
    while (slots.queue.places.length === 0) await Promise.resolve();
    giveUp.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    expect(slots.queue.places).toEqual([]);
    slots.give('agent', 'a');
    expect(slots.queue.held.agent).toBe(0);
    expect(live.map((event) => event.kind === 'queue' && event.queue.places.length)).toEqual([
      1, 0,
    ]);
  });

  it('is waited for until the provider answers again, while others go on', async () => {
    const { slots } = slotsFor(4);
    slots.tell({ type: 'rate-limited', provider: 'claude', retryAfterMs: 30 });
    const waiting = slots.take(agent('a'), never);
    await slots.take(agent('b', { provider: 'codex' }), never);
    expect(slots.holds('agent', 'a')).toBe(false);
    await waiting;
    expect(slots.holds('agent', 'a')).toBe(true);
  });

  it('is looked for again when the machine has room', async () => {
    const room = { disk: 1, memory: 1e12 };
    const { slots, live } = slotsFor(4, room);
    const waiting = slots.take(agent('a'), never);
    while (slots.queue.places.length === 0) await Promise.resolve();
    expect(slots.queue.places[0]?.obstacle).toMatchObject({ kind: 'disk', free: 1 });
    expect(live.some((event) => event.kind === 'notice' && /disk/.test(event.text))).toBe(true);
    room.disk = 1e12;
    // Anybody's look at the machine helps all.
    await slots.take(agent('b'), never);
    await waiting;
  });
});

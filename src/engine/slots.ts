import { providerName } from '../core/agent/provider.ts';
import type { Settings } from '../core/config/schema.ts';
import { LoopwrightError } from '../core/error.ts';
import { formatBytes } from '../core/text/bytes.ts';
import { parseHours } from '../core/schedule/hours.ts';
import { viewQueue, type QueueSnapshot } from '../core/schedule/queue-view.ts';
import {
  createSchedule,
  heldSlots,
  step,
  type Change,
  type Schedule,
} from '../core/schedule/schedule.ts';
import type { Ask, Limits, Moment, SlotKind } from '../core/schedule/slot.ts';
import { statisticsOf, type Statistics } from '../core/schedule/statistics.ts';
import type { Clock } from '../ports/clock.ts';
import type { LiveListener } from '../ports/live.ts';
import type { Machine } from '../ports/machine.ts';

/** More than this many waiting at once is a mistake somewhere. */
const maxWaiting = 10_000;
const longestLookMs = 60_000;

export type SlotsInput = {
  readonly clock: Clock;
  readonly machine: Machine;
  readonly publish: LiveListener;
  readonly limits: Limits;
};

/** A slot of a kind, for one loop or task: the key. */
export type SlotAsk = Omit<Ask, 'id'> & { readonly key: string };

/**
 * The slots of one engine: the pure schedule, with those who wait for it. Whoever took a slot gives it back on every
 * path; giving back twice, or what was never taken, is fine.
 */
export class Slots {
  readonly #input: SlotsInput;
  #schedule: Schedule;
  readonly #waiters = new Map<string, Waiter>();
  /** False: whoever finds too little disk is refused, instead of waiting for more. */
  waitsForDisk = true;
  #looking: AbortController | null = null;
  #told: string;
  #hasTold = false;
  #isWarned = false;
  #room: Pick<Moment, 'freeDisk' | 'freeMemory'> = { freeDisk: null, freeMemory: null };

  constructor(input: SlotsInput) {
    this.#input = input;
    this.#schedule = createSchedule(input.limits);
    this.#told = this.#toTell();
  }

  get limits(): Limits {
    return this.#schedule.limits;
  }

  set limits(limits: Limits) {
    this.tell({ type: 'limits', limits });
  }

  /** Who waits, for what and why. */
  get queue(): QueueSnapshot {
    const { held, limits } = this.#schedule;
    const places = viewQueue(this.#schedule, this.#moment());
    return { places, held: heldSlots(held), limits: limits.slots };
  }

  get statistics(): Statistics {
    return statisticsOf(this.#schedule.tally);
  }

  /** Nobody is signed in with this provider: its loops get no slot. */
  isShut(provider: string): boolean {
    return this.#schedule.providers[provider]?.isShut === true;
  }

  /** Whether an agent of this provider has ended well since then, by the monotonic clock. */
  hasAnsweredSince(provider: string, tick: number): boolean {
    return (this.#schedule.providers[provider]?.answeredAt ?? -Infinity) > tick;
  }

  holds(kind: SlotKind, key: string): boolean {
    return this.#schedule.held.has(`${kind}:${key}`);
  }

  /**
   * Resolves with the slot taken; at once when it is held already. Rejects with the signal's reason, or with `provider.shut`, and
   * holds nothing.
   */
  async take({ key, ...wanted }: SlotAsk, signal: AbortSignal): Promise<void> {
    if (this.holds(wanted.kind, key)) return;
    signal.throwIfAborted();
    if (wanted.kind !== 'request') await this.#lookAtRoom();
    signal.throwIfAborted();
    const short = wanted.kind === 'request' ? null : this.#shortOfDisk();
    if (short !== null) throw short;
    const ask = { ...wanted, id: `${wanted.kind}:${key}` };
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const giveUp = () => {
      // What is being handed over in this very moment stays: the slot is held, and its taker sees the signal next.
      if (!this.#waiters.delete(ask.id)) return;
      this.tell({ type: 'release', id: ask.id });
      reject(signal.reason);
    };
    this.#waiters.set(ask.id, { resolve, reject });
    signal.addEventListener('abort', giveUp, { once: true });
    if (this.tell({ type: 'ask', ask })) {
      this.#waiters.delete(ask.id);
      reject(tooMany());
    }
    const isAtOnce = !this.#waiters.has(ask.id);
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
    if (!isAtOnce && wanted.kind !== 'request') await this.#lookAgain({ key, ...wanted }, signal);
  }

  /** The disk may have filled up while a slot was waited for: then it is given back, and refused or waited for again. */
  async #lookAgain(ask: SlotAsk, signal: AbortSignal): Promise<void> {
    const { kind, key } = ask;
    await this.#lookAtRoom();
    const { freeDisk } = this.#room;
    if (freeDisk === null || freeDisk >= this.limits.minDisk) return;
    this.give(kind, key);
    await this.take(ask, signal);
  }

  /** Gives a slot back: it goes to the next one in the same moment. */
  give(kind: SlotKind, key: string): void {
    if (this.holds(kind, key)) this.tell({ type: 'release', id: `${kind}:${key}` });
  }

  /** Tells the schedule what has happened; true when an ask was refused because too many wait. */
  tell(change: Change): boolean {
    const stepped = step(this.#schedule, change, this.#moment());
    const { schedule, granted, rejected, refused, lookInMs } = stepped;
    this.#schedule = schedule;
    for (const { id } of granted) {
      this.#waiters.get(id)?.resolve();
      this.#waiters.delete(id);
    }
    for (const { id, provider } of refused) {
      this.#waiters.get(id)?.reject(shut(provider ?? ''));
      this.#waiters.delete(id);
    }
    this.#refuseWaiting();
    this.#lookLater(lookInMs);
    this.#publish();
    return rejected;
  }

  /** Throws `disk.full` when nothing would start for lack of disk and nobody is to wait. */
  async requireDisk(): Promise<void> {
    await this.#lookAtRoom();
    const short = this.#shortOfDisk();
    if (short !== null) throw short;
  }

  #shortOfDisk(): LoopwrightError | null {
    const { freeDisk } = this.#room;
    const { minDisk } = this.limits;
    return this.waitsForDisk || freeDisk === null || freeDisk >= minDisk
      ? null
      : tooLittleDisk(freeDisk, minDisk);
  }

  #refuseWaiting(): void {
    const short = this.#waiters.size === 0 ? null : this.#shortOfDisk();
    if (short === null) return;
    const refused = [...this.#waiters].filter(([id]) => !id.startsWith('request:'));
    for (const [id, { reject }] of refused) {
      this.#waiters.delete(id);
      reject(short);
    }
    for (const [id] of refused) this.tell({ type: 'release', id });
  }

  #moment(): Moment {
    const { clock } = this.#input;
    const now = clock.now();
    const local = new Date(now);
    const minute = local.getHours() * 60 + local.getMinutes();
    return { now, tick: clock.monotonic(), minute, ...this.#room };
  }

  async #lookAtRoom(): Promise<void> {
    const { machine, publish } = this.#input;
    const freeDisk = await machine.freeDisk();
    this.#room = { freeDisk, freeMemory: machine.freeMemory() };
    if (this.#isWarned || freeDisk === null || freeDisk >= this.limits.warnDisk) return;
    this.#isWarned = true;
    const text = `warning: only ${formatBytes(freeDisk)} of disk are left for the state of the loops`;
    publish({ kind: 'notice', text });
  }

  /** One timer at a time, and none when nobody waits. */
  #lookLater(inMs: number | null): void {
    this.#looking?.abort();
    this.#looking = null;
    if (inMs === null) return;
    const looking = new AbortController();
    this.#looking = looking;
    // A wait of hours is looked at in between: the wall clock may jump.
    const ms = Math.min(inMs, longestLookMs);
    const look = async () => {
      await this.#input.clock.sleep(ms, looking.signal);
      await this.#lookAtRoom();
      if (!looking.signal.aborted) this.tell({ type: 'look' });
    };
    look().catch(() => {
      // Aborted: somebody has looked meanwhile.
    });
  }

  /** Only when somebody else waits, or for another reason. */
  #publish(): void {
    const told = this.#toTell();
    if (told === this.#told) return;
    this.#told = told;
    const { queue } = this;
    // That one loop runs after the other is nothing to tell of.
    const isAlone = !this.#hasTold && queue.places.length === 0 && queue.limits.loop === 1;
    if (isAlone) return;
    this.#hasTold = true;
    this.#input.publish({ kind: 'queue', queue });
  }

  /** Differs when there is something new about who waits or how many may run. */
  #toTell(): string {
    const { places, limits } = this.queue;
    return JSON.stringify([places.map(({ id, obstacle }) => [id, obstacle.kind]), limits]);
  }
}

/** What the configuration allows at once. */
export function limitsOf({ scheduler }: Settings): Limits {
  const tokens = scheduler['tokens-per-minute'];
  return {
    slots: {
      loop: scheduler['max-loops'],
      agent: scheduler['max-agents'],
      request: scheduler['max-api-calls'],
    },
    window: { requests: scheduler['max-requests'], ms: scheduler['request-window'] },
    tokensPerMinute: tokens === 0 ? null : tokens,
    hours: scheduler.hours.map(parseHours),
    warnDisk: scheduler['warn-disk'],
    minDisk: scheduler['min-disk'],
    minMemory: scheduler['min-memory'],
    maxWaiting,
  };
}

function tooLittleDisk(free: number, needed: number): LoopwrightError {
  const text = `only ${formatBytes(free)} of disk are left for the state of the loops, and nothing starts below ${formatBytes(needed)} (scheduler.min-disk)`;
  return new LoopwrightError('disk.full', text, {
    hint: 'free some space (`loopwright loop delete LOOP` removes a loop with its worktree and files), lower the limit with --min-disk 64mb, or add --wait to wait for space',
  });
}

type Waiter = { readonly resolve: () => void; readonly reject: (error: Error) => void };

function shut(provider: string): LoopwrightError {
  return new LoopwrightError('provider.shut', `${providerName(provider)} wants a sign-in`);
}

function tooMany(): LoopwrightError {
  return new LoopwrightError('slots.full', `${maxWaiting} wait for a slot already`, {
    hint: 'see what holds them up with `loopwright status`',
  });
}

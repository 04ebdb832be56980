import { minutesUntilOpen } from './hours.ts';
import {
  answered,
  bringUp,
  closeProvider,
  comeBack,
  countRequest,
  letThrough,
  outageObstacle,
  pauseProvider,
  providerObstacle,
  spendTokens,
  takeDown,
  unknownProvider,
  windowObstacle,
  type Provider,
} from './provider.ts';
import {
  endsInMs,
  type Ask,
  type Limits,
  type Moment,
  type Obstacle,
  type SlotKind,
} from './slot.ts';
import { emptyTally, tallyGrant, tallyHold, type Tally } from './statistics.ts';

/**
 * Who waits for which slot and who holds one. Every change ends with a look at all who wait, in their order, so a slot
 * that is given back goes straight to the first who can use it: there is no moment in which it is free and somebody
 * could use it. Those whose provider is paused are passed over and lose nothing: their order stays.
 */
export type Schedule = {
  readonly limits: Limits;
  /** In the order in which they get a slot. */
  readonly waiting: readonly Waiting[];
  readonly held: ReadonlyMap<string, Held>;
  readonly providers: Readonly<Record<string, Provider>>;
  readonly tally: Tally;
};

type Waiting = { readonly ask: Ask; readonly since: number };
type Held = { readonly ask: Ask; readonly since: number };

export type Change =
  | { readonly type: 'ask'; readonly ask: Ask }
  /** Gives a slot back, or gives up waiting for it. Unknown ids are fine. */
  | { readonly type: 'release'; readonly id: string }
  /** A 429; null: it does not say for how long. */
  | {
      readonly type: 'rate-limited';
      readonly provider: string;
      readonly retryAfterMs: number | null;
    }
  /** A usage window is used up until then, in UTC milliseconds. */
  | { readonly type: 'usage-limited'; readonly provider: string; readonly until: number }
  /** It does not answer; `inMs`: when one loop is to look again. */
  | { readonly type: 'down'; readonly provider: string; readonly inMs: number }
  /** It answers again. */
  | { readonly type: 'up'; readonly provider: string }
  /** Nobody is signed in with it: its loops that wait are refused, now and from now on. */
  | { readonly type: 'shut'; readonly provider: string }
  | { readonly type: 'opened'; readonly provider: string }
  | { readonly type: 'answered'; readonly provider: string }
  | { readonly type: 'spent'; readonly provider: string; readonly tokens: number }
  | { readonly type: 'limits'; readonly limits: Limits }
  /** Only time has passed. */
  | { readonly type: 'look' };

export type Stepped = {
  readonly schedule: Schedule;
  /** Who has a slot now. */
  readonly granted: readonly Ask[];
  /** The ask of this change was refused: too many wait. */
  readonly rejected: boolean;
  /** Who is not to wait any longer: nobody is signed in with their provider. */
  readonly refused: readonly Ask[];
  /** When to look again although nothing changes; null: no need. */
  readonly lookInMs: number | null;
};

/** How often the machine is asked again whether it has room. */
const roomLookMs = 5000;

export function createSchedule(limits: Limits): Schedule {
  return { limits, waiting: [], held: new Map(), providers: {}, tally: emptyTally };
}

/** One change, and everything that follows from it. */
export function step(schedule: Schedule, change: Change, moment: Moment): Stepped {
  const isFull = change.type === 'ask' && schedule.waiting.length >= schedule.limits.maxWaiting;
  const changed = isFull ? reject(schedule) : apply(schedule, change, moment);
  const { open, refused } = refuseShut(changed);
  return { ...dispatch(open, moment), rejected: isFull, refused };
}

/** Nobody waits for a provider that is shut; a request of an agent that runs finds out for itself. */
function refuseShut(schedule: Schedule): { readonly open: Schedule; readonly refused: Ask[] } {
  const { waiting, providers } = schedule;
  const isShut = ({ ask }: Waiting): boolean =>
    ask.kind !== 'request' && ask.provider !== null && providers[ask.provider]?.isShut === true;
  const refused = waiting.filter(isShut).map(({ ask }) => ask);
  if (refused.length === 0) return { open: schedule, refused };
  return { open: { ...schedule, waiting: waiting.filter((each) => !isShut(each)) }, refused };
}

function reject(schedule: Schedule): Schedule {
  const { tally } = schedule;
  return { ...schedule, tally: { ...tally, rejected: tally.rejected + 1 } };
}

function apply(schedule: Schedule, change: Change, moment: Moment): Schedule {
  switch (change.type) {
    case 'ask':
      return insert(schedule, { ask: change.ask, since: moment.tick });
    case 'release':
      return remove(schedule, change.id, moment);
    case 'rate-limited':
      return withProvider(schedule, change.provider, (provider) =>
        pauseProvider(provider, change.retryAfterMs, moment),
      );
    case 'usage-limited':
      return withProvider(schedule, change.provider, (provider) =>
        closeProvider(provider, change.until),
      );
    case 'down':
      return withProvider(schedule, change.provider, (provider) =>
        takeDown(provider, change.inMs, moment),
      );
    case 'up':
      return withProvider(schedule, change.provider, bringUp);
    case 'shut':
    case 'opened':
      return withProvider(schedule, change.provider, (provider) => {
        return { ...provider, isShut: change.type === 'shut' };
      });
    case 'answered':
      return withProvider(schedule, change.provider, (provider) => answered(provider, moment));
    case 'spent':
      return withProvider(schedule, change.provider, (provider) =>
        spendTokens(provider, change.tokens, moment),
      );
    case 'limits':
      return { ...schedule, limits: change.limits };
    case 'look':
      return schedule;
  }
}

/** Behind everybody of the same order. */
function insert(schedule: Schedule, entry: Waiting): Schedule {
  const { waiting } = schedule;
  const later = waiting.findIndex(({ ask }) => ask.order > entry.ask.order);
  const at = later === -1 ? waiting.length : later;
  return { ...schedule, waiting: waiting.toSpliced(at, 0, entry) };
}

function remove(schedule: Schedule, id: string, { tick }: Moment): Schedule {
  const held = schedule.held.get(id);
  if (held !== undefined) {
    const others = new Map(schedule.held);
    others.delete(id);
    const tally = tallyHold(schedule.tally, held.ask.kind, tick - held.since);
    const left = { ...schedule, held: others, tally };
    const { provider: name } = held.ask;
    return name === null ? left : withProvider(left, name, (provider) => comeBack(provider, id));
  }
  const waiting = schedule.waiting.filter(({ ask }) => ask.id !== id);
  if (waiting.length === schedule.waiting.length) return schedule;
  const { tally } = schedule;
  return { ...schedule, waiting, tally: { ...tally, cancelled: tally.cancelled + 1 } };
}

function withProvider(
  schedule: Schedule,
  name: string,
  change: (provider: Provider) => Provider,
): Schedule {
  const provider = change(schedule.providers[name] ?? unknownProvider);
  return { ...schedule, providers: { ...schedule.providers, [name]: provider } };
}

function dispatch(start: Schedule, moment: Moment): Omit<Stepped, 'rejected' | 'refused'> {
  const granted: Ask[] = [];
  const left: Waiting[] = [];
  let schedule = start;
  let lookInMs: number | null = null;
  for (const entry of start.waiting) {
    const obstacle = obstacleFor(schedule, entry.ask, moment);
    if (obstacle === null) {
      schedule = grant(schedule, entry, moment);
      granted.push(entry.ask);
      continue;
    }
    left.push(entry);
    const isRoom = obstacle.kind === 'disk' || obstacle.kind === 'memory';
    const inMs = isRoom ? roomLookMs : endsInMs(obstacle);
    if (inMs !== null) lookInMs = Math.min(lookInMs ?? inMs, inMs);
  }
  return { schedule: { ...schedule, waiting: left }, granted, lookInMs };
}

function grant(schedule: Schedule, { ask, since }: Waiting, moment: Moment): Schedule {
  const held = new Map(schedule.held).set(ask.id, { ask, since: moment.tick });
  const counted = {
    ...schedule,
    held,
    tally: tallyGrant(schedule.tally, moment.tick - since, heldSlots(held)),
  };
  if (ask.provider === null || ask.kind === 'agent') return counted;
  if (ask.kind === 'loop') {
    return withProvider(counted, ask.provider, (provider) => letThrough(provider, ask.id));
  }
  return withProvider(counted, ask.provider, (provider) =>
    countRequest(provider, schedule.limits, moment),
  );
}

export function heldSlots(held: Schedule['held']): Readonly<Record<SlotKind, number>> {
  const counts = { loop: 0, agent: 0, request: 0 };
  for (const { ask } of held.values()) if (ask.isFree !== true) counts[ask.kind]++;
  return counts;
}

function needsAgentSlot({ kind, needsAgent }: Ask): boolean {
  return kind === 'loop' && needsAgent === true;
}

/**
 * Loops that hold a slot, whose agent is a program, and that come before this one: those that get the slots for agents first. A
 * loop of a lower priority does not count. It keeps its agent until its iteration ends, and then lets this one go first.
 */
export function agentsBefore(held: Schedule['held'], { order }: Pick<Ask, 'order'>): number {
  return [...held.values()].filter(({ ask }) => needsAgentSlot(ask) && ask.order <= order).length;
}

/** Why this ask would not get a slot now; null: it would. */
export function obstacleFor(schedule: Schedule, ask: Ask, moment: Moment): Obstacle | null {
  const { limits, held, providers } = schedule;
  const slots = heldSlots(held)[ask.kind];
  const limit = limits.slots[ask.kind];
  const provider = ask.provider === null ? null : (providers[ask.provider] ?? unknownProvider);
  const closed = provider === null ? null : providerObstacle(ask.provider ?? '', provider, moment);
  if (closed !== null) return closed;
  const down =
    ask.kind === 'loop' && provider !== null
      ? outageObstacle(ask.provider ?? '', provider, ask.id, moment)
      : null;
  if (down !== null) return down;
  const outside = ask.kind === 'request' ? null : machineObstacle(limits, ask.kind, slots, moment);
  if (outside !== null) return outside;
  if (slots >= limit && ask.isFree !== true) return { kind: 'busy', slot: ask.kind, limit };
  if (needsAgentSlot(ask) && agentsBefore(held, ask) >= limits.slots.agent) {
    return { kind: 'busy', slot: 'agent', limit: limits.slots.agent };
  }
  if (ask.kind !== 'request' || provider === null) return null;
  return windowObstacle(ask.provider ?? '', provider, limits, moment);
}

function machineObstacle(
  limits: Limits,
  kind: SlotKind,
  slots: number,
  { minute, freeDisk, freeMemory }: Moment,
): Obstacle | null {
  const closed = minutesUntilOpen(limits.hours, minute);
  if (closed > 0) return { kind: 'hours', inMs: closed * 60_000 };
  if (freeDisk !== null && freeDisk < limits.minDisk) {
    return { kind: 'disk', free: freeDisk, needed: limits.minDisk };
  }
  const isFurther = kind === 'loop' && slots > 0;
  if (isFurther && freeMemory !== null && freeMemory < limits.minMemory) {
    return { kind: 'memory', free: freeMemory, needed: limits.minMemory };
  }
  return null;
}

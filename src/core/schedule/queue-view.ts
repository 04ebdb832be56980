import { providerName } from '../agent/provider.ts';
import { formatBytes } from '../text/bytes.ts';
import { heldSlots, obstacleFor, type Schedule } from './schedule.ts';
import { endsInMs, type Moment, type Obstacle, type SlotKind } from './slot.ts';

/** One who waits, as people see it. */
export type QueuePlace = {
  readonly id: string;
  readonly kind: SlotKind;
  readonly provider: string | null;
  /** From 1, among those that wait for the same kind. */
  readonly position: number;
  readonly waitedMs: number;
  readonly obstacle: Obstacle;
  /** When it will get its slot, as things are going; null: nobody can tell. */
  readonly estimateMs: number | null;
};

/** The slots as people see them. */
export type QueueSnapshot = {
  readonly places: readonly QueuePlace[];
  readonly held: Readonly<Record<SlotKind, number>>;
  readonly limits: Readonly<Record<SlotKind, number>>;
};

/** Everybody who waits, first ones first. */
export function viewQueue(schedule: Schedule, moment: Moment): readonly QueuePlace[] {
  const positions = { loop: 0, agent: 0, request: 0 };
  return schedule.waiting.flatMap(({ ask, since }) => {
    const { id, kind, provider } = ask;
    const position = ++positions[kind];
    const obstacle = obstacleFor(schedule, ask, moment);
    // It gets its slot at the next look.
    if (obstacle === null) return [];
    const estimateMs = endsInMs(obstacle) ?? estimate(schedule, kind, position, obstacle);
    const waitedMs = moment.tick - since;
    return [{ id, kind, provider, position, waitedMs, obstacle, estimateMs }];
  });
}

/** Slots come free one after the other, each after the time they were held lately. */
function estimate(
  { limits, held, tally }: Schedule,
  kind: SlotKind,
  position: number,
  { kind: why }: Obstacle,
): number | null {
  const mean = tally.meanHoldMs[kind];
  if (why !== 'busy' || mean === null) return null;
  const slots = Math.max(1, Math.min(limits.slots[kind], heldSlots(held)[kind]));
  return Math.round((mean * position) / slots);
}

/** Why somebody waits, in words. */
export function obstacleText(obstacle: Obstacle): string {
  switch (obstacle.kind) {
    case 'busy':
      return `${obstacle.limit === 1 ? 'the one' : `all ${obstacle.limit}`} ${slotWord(obstacle.slot, obstacle.limit)} in use`;
    case 'rate-limit':
      return `${obstacle.provider} limits the rate of requests`;
    case 'usage-limit':
      return `the usage limit of ${obstacle.provider} is reached`;
    case 'outage':
      return `${providerName(obstacle.provider)} is down`;
    case 'request-window':
      return `${obstacle.provider} has had its requests for now`;
    case 'token-window':
      return `${obstacle.provider} has had its tokens for this minute`;
    case 'hours':
      return 'outside the allowed hours';
    case 'disk':
      return `only ${formatBytes(obstacle.free)} of disk left, wanted ${formatBytes(obstacle.needed)}`;
    case 'memory':
      return `only ${formatBytes(obstacle.free)} of memory left, wanted ${formatBytes(obstacle.needed)}`;
  }
}

function slotWord(kind: SlotKind, limit: number): string {
  const words = { loop: 'loop', agent: 'agent', request: 'request' } as const;
  return limit === 1 ? `${words[kind]} slot is` : `${words[kind]} slots are`;
}

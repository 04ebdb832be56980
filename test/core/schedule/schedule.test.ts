import { describe, expect, it } from 'vitest';
import { minutesUntilOpen, parseHours } from '../../../src/core/schedule/hours.ts';
import { obstacleText, viewQueue } from '../../../src/core/schedule/queue-view.ts';
import { createSchedule, step, type Change } from '../../../src/core/schedule/schedule.ts';
import type { Ask, Limits, Moment } from '../../../src/core/schedule/slot.ts';
import { statisticsOf } from '../../../src/core/schedule/statistics.ts';

const limits: Limits = {
  slots: { loop: 2, agent: 2, request: 10 },
  window: { requests: 3, ms: 60_000 },
  tokensPerMinute: 1000,
  hours: [],
  warnDisk: 2048,
  minDisk: 256,
  minMemory: 512,
  maxWaiting: 100,
};

const at = (tick: number, change: Partial<Moment> = {}): Moment => ({
  now: 1_000_000 + tick,
  tick,
  minute: 720,
  freeDisk: 1000,
  freeMemory: 1000,
  ...change,
});

const ask = (id: string, change: Partial<Ask> = {}): Change => ({
  type: 'ask',
  ask: { id, kind: 'agent', provider: 'claude', order: 0, ...change },
});

/** Applies changes in turn; answers the ids granted by each, and the end. */
function play(changes: readonly (readonly [Change, Moment])[], from: Limits = limits) {
  let schedule = createSchedule(from);
  const granted: string[] = [];
  let last = step(schedule, { type: 'look' }, at(0));
  for (const [change, moment] of changes) {
    last = step(schedule, change, moment);
    schedule = last.schedule;
    granted.push(last.granted.map(({ id }) => id).join(' '));
  }
  return { schedule, granted, last };
}

describe('slots', () => {
  it('are handed straight to the first who waits', () => {
    const { granted } = play([
      [ask('a'), at(0)],
      [ask('b'), at(0)],
      [ask('c'), at(0)],
      [ask('urgent', { order: -1 }), at(0)],
      [{ type: 'release', id: 'a' }, at(5)],
      [{ type: 'release', id: 'b' }, at(6)],
    ]);
    expect(granted).toEqual(['a', 'b', '', '', 'urgent', 'c']);
  });

  it('are counted by kind', () => {
    const loops = { kind: 'loop' } as const;
    const { granted } = play([
      [ask('a'), at(0)],
      [ask('b'), at(0)],
      [ask('c', loops), at(0)],
      [ask('d', loops), at(0)],
      [ask('e', loops), at(0)],
    ]);
    expect(granted).toEqual(['a', 'b', 'c', 'd', '']);
  });

  it('go to loops of the native agent up to their own limit, to loops that need an agent up to that of agents', () => {
    const wide = { ...limits, slots: { loop: 4, agent: 1, request: 10 } };
    const program = { kind: 'loop', needsAgent: true } as const;
    const native = { kind: 'loop', needsAgent: false } as const;
    const { granted, schedule } = play(
      [
        [ask('a', program), at(0)],
        [ask('b', program), at(0)],
        [ask('c', native), at(0)],
        [ask('d', native), at(0)],
        [ask('e', native), at(0)],
        [ask('f', native), at(0)],
        [{ type: 'release', id: 'a' }, at(5)],
      ],
      wide,
    );
    expect(granted).toEqual(['a', '', 'c', 'd', 'e', '', 'b']);
    expect(viewQueue(schedule, at(5)).map(({ obstacle }) => obstacleText(obstacle))).toEqual([
      'all 4 loop slots are in use',
    ]);
  });

  it('let a loop begin beside one of a lower priority, whose agent it waits for', () => {
    const wide = { ...limits, slots: { loop: 3, agent: 1, request: 10 } };
    const program = { kind: 'loop', needsAgent: true } as const;
    const { granted } = play(
      [
        [ask('low', { ...program, order: 10 }), at(0)],
        [ask('low-agent', { kind: 'agent', order: 10 }), at(0)],
        [ask('later', { ...program, order: 20 }), at(0)],
        [ask('critical', { ...program, order: 1 }), at(1)],
        [ask('critical-agent', { kind: 'agent', order: 1 }), at(1)],
        [ask('low-agent-2', { kind: 'agent', order: 10 }), at(2)],
        [{ type: 'release', id: 'low-agent' }, at(3)],
      ],
      wide,
    );
    expect(granted).toEqual(['low', 'low-agent', '', 'critical', '', '', 'critical-agent']);
  });

  it('follow new limits at once', () => {
    const more = { ...limits, slots: { ...limits.slots, agent: 4 } };
    const { granted } = play([
      [ask('a'), at(0)],
      [ask('b'), at(0)],
      [ask('c'), at(0)],
      [{ type: 'limits', limits: more }, at(1)],
    ]);
    expect(granted.at(-1)).toBe('c');
  });

  it('are refused when too many wait', () => {
    const { last } = play(
      [
        [ask('a'), at(0)],
        [ask('b'), at(0)],
      ],
      { ...limits, slots: { ...limits.slots, agent: 0 }, maxWaiting: 1 },
    );
    expect(last.rejected).toBe(true);
    expect(statisticsOf(last.schedule.tally)).toMatchObject({ rejected: 1, granted: 0 });
  });
});

describe('a provider that refuses', () => {
  it('is left alone for as long as it says, while others go on', () => {
    const { granted, last } = play([
      [{ type: 'rate-limited', provider: 'claude', retryAfterMs: 5000 }, at(0)],
      [ask('a'), at(0)],
      [ask('b', { provider: 'codex' }), at(0)],
      [{ type: 'look' }, at(4999)],
      [{ type: 'look' }, at(5000)],
    ]);
    expect(granted).toEqual(['', '', 'b', '', 'a']);
    expect(last.lookInMs).toBeNull();
  });

  it('is left alone for twice as long each time when it does not say', () => {
    const refused = { type: 'rate-limited', provider: 'claude', retryAfterMs: null } as const;
    let schedule = createSchedule(limits);
    const pauses: number[] = [];
    let tick = 0;
    for (let n = 0; n < 8; n++) {
      schedule = step(schedule, refused, at(tick)).schedule;
      // Others that were on their way are refused as well; that is the same refusal.
      schedule = step(schedule, refused, at(tick)).schedule;
      const { lookInMs } = step(schedule, ask('a'), at(tick));
      pauses.push(lookInMs ?? 0);
      tick += lookInMs ?? 0;
    }
    expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 64_000]);
    schedule = step(schedule, { type: 'answered', provider: 'claude' }, at(tick)).schedule;
    schedule = step(schedule, refused, at(tick)).schedule;
    expect(step(schedule, ask('a'), at(tick)).lookInMs).toBe(1000);
  });

  it('is asked again when its usage window opens, by the wall clock', () => {
    const { granted, last } = play([
      [{ type: 'usage-limited', provider: 'claude', until: 1_000_000 + 3_600_000 }, at(0)],
      [ask('a', { kind: 'loop' }), at(0)],
      [ask('b', { kind: 'loop', provider: 'codex', order: 9 }), at(0)],
      // The machine slept: its own ticks stood still, the time of day went on.
      [{ type: 'look' }, at(10, { now: 1_000_000 + 3_600_000 })],
    ]);
    expect(granted).toEqual(['', '', 'b', 'a']);
    expect(last.lookInMs).toBeNull();
  });

  it('gets no more requests than its window holds, and no more tokens', () => {
    const request = { kind: 'request' } as const;
    const { granted, last } = play([
      [ask('1', request), at(0)],
      [ask('2', request), at(10_000)],
      [ask('3', request), at(20_000)],
      [ask('4', request), at(30_000)],
      [{ type: 'look' }, at(59_999)],
      [{ type: 'look' }, at(60_000)],
      [{ type: 'spent', provider: 'claude', tokens: 1200 }, at(70_000)],
      [ask('5', request), at(100_000)],
      [{ type: 'look' }, at(130_000)],
    ]);
    expect(granted).toEqual(['1', '2', '3', '', '', '4', '', '', '5']);
    expect(last.lookInMs).toBeNull();
  });
});

describe('the machine', () => {
  it('lets the first loop start with little memory, and no further one', () => {
    const little = at(0, { freeMemory: 100 });
    const { granted, last } = play([
      [ask('a', { kind: 'loop' }), little],
      [ask('b', { kind: 'loop' }), little],
      [{ type: 'look' }, at(5000)],
    ]);
    expect(granted).toEqual(['a', '', 'b']);
    expect(last.lookInMs).toBeNull();
  });

  it('lets nothing start without disk, and is asked again', () => {
    const { granted, last } = play([[ask('a', { kind: 'loop' }), at(0, { freeDisk: 100 })]]);
    expect(granted).toEqual(['']);
    expect(last.lookInMs).toBe(5000);
  });

  it.each([
    ['22:00-07:00', 21 * 60, 60],
    ['22:00-07:00', 22 * 60, 0],
    ['22:00-07:00', 3 * 60, 0],
    ['22:00-07:00', 7 * 60, 15 * 60],
    ['09:00-17:30', 17 * 60 + 29, 0],
    ['09:00-17:30', 17 * 60 + 30, 15 * 60 + 30],
    ['06:00-06:00', 0, 0],
  ])('keeps to %s at minute %i', (hours, minute, wait) => {
    expect(minutesUntilOpen([parseHours(hours)], minute)).toBe(wait);
  });
});

it('the queue says who waits for what, in which order, and for how long about', () => {
  const { schedule } = play([
    [ask('a'), at(0)],
    [ask('b'), at(0)],
    [{ type: 'release', id: 'a' }, at(1000)],
    [ask('a2'), at(1000)],
    [{ type: 'usage-limited', provider: 'gemini', until: 1_000_000 + 61_000 }, at(1000)],
    [ask('c', { order: 1 }), at(1000)],
    [ask('d', { order: 1, provider: 'gemini' }), at(1000)],
  ]);
  const places = viewQueue(schedule, at(2000));
  expect(
    places.map(({ id, position, waitedMs, estimateMs, obstacle }) => [
      id,
      position,
      waitedMs,
      estimateMs,
      obstacleText(obstacle),
    ]),
  ).toEqual([
    ['c', 1, 1000, 500, 'all 2 agent slots are in use'],
    ['d', 2, 1000, 59_000, 'the usage limit of gemini is reached'],
  ]);
});

const down = (inMs: number): Change => ({ type: 'down', provider: 'claude', inMs });

describe('a provider that is down', () => {
  const loop = { kind: 'loop' } as const;

  it('lets one loop at a time through when it is due, and all when it is up', () => {
    const { granted, last } = play([
      [down(30), at(0)],
      [ask('a', loop), at(0)],
      [ask('b', loop), at(0)],
      [ask('other', { ...loop, provider: 'codex' }), at(0)],
      [{ type: 'look' }, at(30)],
      [{ type: 'release', id: 'other' }, at(31)],
      // The probe failed: its loop waits again, and gives its slot back.
      [down(60), at(40)],
      [{ type: 'release', id: 'a' }, at(41)],
      [ask('a', loop), at(41)],
      [{ type: 'up', provider: 'claude' }, at(50)],
    ]);
    expect(granted).toEqual(['', '', '', 'other', 'a', '', '', '', '', 'b a']);
    expect(last.lookInMs).toBeNull();
  });

  it('says so to those who wait, and lets another one try when the first gives its slot back', () => {
    const { granted, schedule } = play([
      [down(0), at(0)],
      [ask('a', loop), at(0)],
      [ask('b', loop), at(0)],
      [ask('c', loop), at(0)],
      [{ type: 'release', id: 'a' }, at(5)],
    ]);
    expect(granted).toEqual(['', 'a', '', '', 'b']);
    const [place] = viewQueue(schedule, at(5));
    expect(place).toMatchObject({ id: 'c', obstacle: { kind: 'outage', provider: 'claude' } });
    expect(obstacleText(place!.obstacle)).toBe('claude is down');
  });
});

describe('a provider that wants a sign-in', () => {
  it('refuses those who wait and those who come, until it is opened again', () => {
    let schedule = createSchedule({ ...limits, slots: { loop: 1, agent: 1, request: 1 } });
    const refused = (change: Change) => {
      const stepped = step(schedule, change, at(0));
      schedule = stepped.schedule;
      return stepped.refused.map(({ id }) => id);
    };
    const loop = { kind: 'loop' } as const;
    expect(refused(ask('a', loop))).toEqual([]);
    expect(refused(ask('b', loop))).toEqual([]);
    expect(refused(ask('other', { ...loop, provider: 'codex' }))).toEqual([]);
    expect(refused({ type: 'shut', provider: 'claude' })).toEqual(['b']);
    expect(refused(ask('c', loop))).toEqual(['c']);
    expect(refused({ type: 'opened', provider: 'claude' })).toEqual([]);
    expect(refused(ask('d', loop))).toEqual([]);
  });
});

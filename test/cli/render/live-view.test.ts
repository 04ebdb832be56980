import { describe, expect, it } from 'vitest';
import type { Output } from '../../../src/cli/context.ts';
import { LiveView, type Talk } from '../../../src/cli/render/live-view.ts';
import { fold } from '../../../src/core/loop/evolve.ts';
import type { Activity } from '../../../src/core/agent/outcome.ts';
import type { LoopEvent } from '../../../src/core/loop/event.ts';
import type { Obstacle } from '../../../src/core/schedule/slot.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { LiveEvent } from '../../../src/ports/live.ts';
import { createdEvent } from '../../contract/store-fixture.ts';

/** A clock that a test moves; sleepers wake when their time has come. */
class HandClock implements Clock {
  #now = 0;
  #sleepers: { readonly at: number; readonly wake: () => void }[] = [];
  now = () => this.#now;
  monotonic = () => this.#now;
  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
      this.#sleepers.push({ at: this.#now + ms, wake: resolve });
    });
  }
  async advance(ms: number): Promise<void> {
    this.#now += ms;
    for (const { at, wake } of this.#sleepers.splice(0)) if (at <= this.#now) wake();
    // What was woken runs before the test goes on.
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  }
}

function viewOn(columns: number | null, talk: Talk = 'normal') {
  let text = '';
  const clock = new HandClock();
  const output: Output = {
    write: (written) => void (text += written),
    isTerminal: columns !== null,
    hasColour: false,
    columns: columns ?? 80,
  };
  return { view: new LiveView({ err: output, clock }, talk), clock, text: () => text };
}

function activity(text: string): LiveEvent {
  return { kind: 'activity', loopId: 'loop-1', iteration: 1, activity: { kind: 'saying', text } };
}

function doing(kind: Activity['kind'], text: string): LiveEvent {
  return { kind: 'activity', loopId: 'loop-1', iteration: 1, activity: { kind, text } };
}

function usage(turns: number | null, input: number, costUsd: number | null): LiveEvent {
  const tokens = { input, output: 0, cacheRead: 0, cacheWrite: 0 };
  return { kind: 'usage', loopId: 'loop-1', tokens, costUsd, turns };
}

/** The agent of iteration 1 was started. */
function started(): LiveEvent {
  const events: readonly LoopEvent[] = [
    createdEvent('loop-1', 't-1'),
    { type: 'iteration.started', number: 1, attempt: 1, startTree: 'a', startHead: null },
    { type: 'agent.started', process: null, try: 1 },
  ];
  const recorded = events.map((event, index) => ({ seq: index + 1, time: 0, elapsedMs: 0, event }));
  return { kind: 'recorded', loop: fold(recorded)!, recorded: recorded.at(-1)! };
}

/** What a terminal shows at the end: its lines, the last of them the live one. */
function screen(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.slice(line.lastIndexOf('\r') + 1).replaceAll('\u001B[2K', ''));
}

function waiting(): LiveEvent {
  const created = { seq: 1, time: 0, elapsedMs: 0, event: createdEvent('loop-1', 't-1') };
  const event = {
    type: 'loop.waiting',
    condition: 'rate_limit',
    until: 60_000,
    then: 'run-agent',
    text: 'told so',
  } as const;
  return {
    kind: 'recorded',
    loop: fold([created])!,
    recorded: { seq: 9, time: 0, elapsedMs: 0, event },
  };
}

describe('the live view', () => {
  it('shows at most twenty lines of activity a second and counts the rest', async () => {
    const { view, clock, text } = viewOn(null);
    for (let i = 1; i <= 1000; i++) view.listener(activity(`line ${i}`));
    await clock.advance(1000);
    view.listener(activity('later'));
    await view[Symbol.asyncDispose]();
    const lines = text().trimEnd().split('\n');
    expect(lines).toHaveLength(22);
    expect(lines[20]?.trim()).toBe('and 980 more lines of activity');
    expect(lines[21]?.trim()).toBe('saying     later');
  });

  it('neutralises what an agent says and cuts it to the width', async () => {
    const { view, text } = viewOn(40);
    view.listener(
      activity(`\u001B]0;title\u0007\u001B[31mred\u001B[0m ${'x'.repeat(100)}\nsecond`),
    );
    await view[Symbol.asyncDispose]();
    expect(text()).toBe(`  saying     red ${'x'.repeat(22)}…\n`);
  });

  it('rewrites its last line on a terminal once a second and removes it at the end', async () => {
    const { view, clock, text } = viewOn(80);
    view.listener(waiting());
    await clock.advance(1000);
    const line = '  waiting    rate limit, 1m 00s until 00:01:00 UTC: told so\n';
    const erase = '\r\u001B[2K';
    expect(text()).toBe(`${line}waiting · 1m 00s left${erase}waiting · 59s left`);
    await view[Symbol.asyncDispose]();
    expect(text().endsWith(erase)).toBe(true);
  });

  it.each([
    [100, 'iteration 1 · running npm test · 3s · 2 turns · 12.3k tokens · $0.42'],
    [60, 'iteration 1 · running npm test · 3s · 2 turns · $0.42'],
    [40, 'iteration 1 · running npm test · $0.42'],
    [30, 'iteration 1 · running npm te…'],
  ])('tells on %i columns what is done and what it has used so far', async (columns, expected) => {
    const { view, clock, text } = viewOn(columns);
    view.listener(started());
    view.listener(usage(2, 12_345, 0.42));
    view.listener(doing('running', 'npm test'));
    await clock.advance(3000);
    const line = screen(text()).at(-1) ?? '';
    expect(line).toBe(expected);
    await view[Symbol.asyncDispose]();
  });

  it('shows thinking in the live line only', async () => {
    const { view, text } = viewOn(80);
    view.listener(started());
    view.listener(doing('thinking', 'of a way'));
    expect(screen(text())).toEqual(['iteration 1 · thinking of a way · 0s']);
    await view[Symbol.asyncDispose]();
  });

  it('puts what was used behind the first action after it changed, where there is no live line', async () => {
    const { view, text } = viewOn(null, 'verbose');
    view.listener(started());
    view.listener(doing('thinking', 'of a way'));
    view.listener(usage(1, 900, null));
    view.listener(doing('reading', 'a.ts'));
    view.listener(doing('editing', 'a.ts'));
    view.listener(usage(2, 1900, 0.02));
    view.listener(doing('waiting', 'for the API (attempt 2, retry in 4 s)'));
    view.listener(doing('finished', 'after 2 turns'));
    await view[Symbol.asyncDispose]();
    expect(text()).toMatchInlineSnapshot(`
      "  agent      started
        thinking   of a way
        reading    a.ts · 1 turn, 900 tokens, cost unknown
        editing    a.ts
        waiting    for the API (attempt 2, retry in 4 s) · 2 turns, 1.9k tokens, $0.020
        finished   after 2 turns
      "
    `);
  });

  it('takes no orders from an action', async () => {
    const { view, text } = viewOn(80);
    view.listener(started());
    const hostile = 'rm\u001B[2J\u001B]0;owned\u0007\r\nsecond \u202Eline';
    view.listener(doing('running', hostile));
    const shown = text().replaceAll('\r\u001B[2K', '');
    for (const char of ['\u001B', '\u0007', '\u202E']) expect(shown).not.toContain(char);
    expect(shown.split('\n')).toHaveLength(2);
    await view[Symbol.asyncDispose]();
  });

  it('writes no escape without a terminal', async () => {
    const { view, clock, text } = viewOn(null);
    view.listener(waiting());
    await clock.advance(5000);
    await view[Symbol.asyncDispose]();
    expect(text()).toBe('  waiting    rate limit, 1m 00s until 00:01:00 UTC: told so\n');
  });
});

describe('a loop that may not start yet', () => {
  const held = { loop: 0, agent: 0, request: 0 };
  const limits = { loop: 1, agent: 1, request: 1 };
  const queue = (...obstacles: readonly Obstacle[]): LiveEvent => ({
    kind: 'queue',
    queue: {
      held,
      limits,
      places: obstacles.map((obstacle, index) => ({
        id: `t-${index}`,
        kind: 'loop',
        provider: null,
        position: index + 1,
        waitedMs: 0,
        obstacle,
        estimateMs: null,
      })),
    },
  });
  const full: Obstacle = { kind: 'disk', free: 24 * 1024 ** 2, needed: 256 * 1024 ** 2 };
  const busy: Obstacle = { kind: 'busy', slot: 'loop', limit: 1 };

  it('says why, once, with a terminal and without, and also when it was asked to be quiet', async () => {
    for (const [columns, talk] of [
      [100, 'normal'],
      [null, 'normal'],
      [null, 'quiet'],
    ] as const) {
      const { view, text } = viewOn(columns, talk);
      view.listener(queue(full));
      view.listener(queue(full));
      await view[Symbol.asyncDispose]();
      expect(text().split('1 waits: only 24 MB of disk left, wanted 256 MB')).toHaveLength(2);
    }
  });

  it('does not talk of tasks that wait for the one that runs', async () => {
    const { view, text } = viewOn(null);
    view.listener(queue(busy, busy));
    await view[Symbol.asyncDispose]();
    expect(text()).toBe('');
  });
});

import { describe, expect, it } from 'vitest';
import type { Output } from '../../../src/cli/context.ts';
import { LiveView } from '../../../src/cli/render/live-view.ts';
import { fold } from '../../../src/core/loop/evolve.ts';
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

function viewOn(columns: number | null) {
  let text = '';
  const clock = new HandClock();
  const output: Output = {
    write: (written) => void (text += written),
    isTerminal: columns !== null,
    hasColour: false,
    columns: columns ?? 80,
  };
  return { view: new LiveView({ err: output, clock }, 'normal'), clock, text: () => text };
}

function activity(text: string): LiveEvent {
  return { kind: 'activity', loopId: 'loop-1', iteration: 1, activity: { kind: 'saying', text } };
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

  it('writes no escape without a terminal', async () => {
    const { view, clock, text } = viewOn(null);
    view.listener(waiting());
    await clock.advance(5000);
    await view[Symbol.asyncDispose]();
    expect(text()).toBe('  waiting    rate limit, 1m 00s until 00:01:00 UTC: told so\n');
  });
});

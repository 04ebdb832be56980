import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Loop, Wait } from '../../src/core/loop/loop.ts';
import { WaitClock } from '../../src/engine/wait-clock.ts';
import type { Clock } from '../../src/ports/clock.ts';

/** A clock that people set. */
class SetClock implements Clock {
  wall = 1_700_000_000_000;
  #passed = 0;

  now(): number {
    return this.wall + this.#passed;
  }

  monotonic(): number {
    return 12_345.678 + this.#passed;
  }

  sleep(ms: number): Promise<void> {
    this.#passed += ms;
    return Promise.resolve();
  }
}

const loopWith = (until: number | null, updatedAt = 0): Loop => {
  const wait: Wait | null =
    until === null ? null : { condition: 'backoff', until, then: 'boundary', text: '' };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { wait, updatedAt, iterations: [] } as unknown as Loop;
};

const jump = fc.integer({ min: -100_000_000, max: 100_000_000 });
const span = fc.nat(600_000);

test('no setting of the clock makes a wait shorter or longer', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(jump, span)), async (steps) => {
      const clock = new SetClock();
      const idle = loopWith(null);
      const waits = new WaitClock(clock, idle, null);
      const begun = waits.now(idle);
      expect(begun).toBe(clock.now());
      const waiting = loopWith(begun + 60_000);
      let passed = 0;
      for (const [setBy, ms] of steps) {
        clock.wall += setBy;
        await clock.sleep(ms);
        passed += ms;
        expect(waits.now(waiting)).toBe(begun + passed);
      }
      // Once nothing is waited for, times are those that people read on their clock.
      expect(waits.now(idle)).toBe(clock.now());
    }),
  );
});

test('another process goes on with what the queue says is left', () => {
  const clock = new SetClock();
  const waiting = loopWith(clock.now() + 60_000, clock.now());
  clock.wall += 7_200_000;
  const waits = new WaitClock(clock, waiting, 45_000);
  expect((waiting.wait?.until ?? 0) - waits.now(waiting)).toBe(45_000);
});

test('a clock that was set back makes a wait no longer than it was', () => {
  const clock = new SetClock();
  const waiting = loopWith(clock.now() + 60_000, clock.now());
  clock.wall -= 7_200_000;
  const waits = new WaitClock(clock, waiting, null);
  expect((waiting.wait?.until ?? 0) - waits.now(waiting)).toBe(60_000);
});

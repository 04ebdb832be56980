import type { Engine } from '../engine.ts';
import type { LoopOwner } from '../loop-owner.ts';

/** Sleeps until the time or the first request. The wall clock is looked at again afterwards: it may have jumped. */
export async function waitUntil(engine: Engine, owner: LoopOwner, until: number): Promise<void> {
  const ms = Math.min(Math.max(0, until - engine.clock.now()), longestSleepMs);
  await engine.clock.sleep(ms, owner.asked).catch(() => {
    // Woken by a request: `decide` sees it next.
  });
  owner.forgetTime();
}

const longestSleepMs = 60_000;

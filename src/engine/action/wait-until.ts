import { providerOf } from '../../core/agent/provider.ts';
import type { Engine } from '../engine.ts';
import type { LoopOwner } from '../loop-owner.ts';

/**
 * Sleeps until the time or the first request. The wall clock is looked at again afterwards: it may have jumped.
 * A long wait is spent without a slot, so that others can go on.
 */
export async function waitUntil(engine: Engine, owner: LoopOwner, until: number): Promise<void> {
  const { slots, clock } = engine;
  const { taskId, settings, createdAt, wait } = owner.loop;
  const provider = providerOf(settings);
  const left = Math.max(0, until - clock.now());
  const yields = left >= shortestYieldMs && slots.holds('loop', taskId);
  if (yields) slots.give('loop', taskId);
  // Woken by a request: `decide` sees it next.
  const longest = wait?.condition === 'approval' ? answerLookMs : longestSleepMs;
  await clock.sleep(Math.min(left, longest), owner.asked).catch(() => {});
  if (yields) {
    const ask = { kind: 'loop', key: taskId, provider, order: createdAt } as const;
    // Without a slot, because somebody asks for something: that is done without one.
    await slots.take(ask, owner.asked).catch((error: unknown) => {
      if (!owner.asked.aborted) throw error;
    });
  }
  owner.forgetTime();
}

const longestSleepMs = 60_000;
/** A person's answer is mail; it wakes nobody, and somebody waits for what follows. */
const answerLookMs = 500;
const shortestYieldMs = 2000;

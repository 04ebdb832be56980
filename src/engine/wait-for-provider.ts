import { providerOf } from '../core/agent/provider.ts';
import type { Engine } from './engine.ts';
import type { LoopOwner } from './loop-owner.ts';
import { isShut } from './sign-in.ts';

/** However long it takes, the stored outage is looked at in between: another engine may have ended it. */
const longestWaitMs = 60_000;

/**
 * Waits until the provider is to be tried again, answers again, or somebody asks for something. Its slot is for others meanwhile;
 * the schedule gives it back to one loop at a time while the provider is down.
 */
export async function waitForProvider(
  engine: Engine,
  owner: LoopOwner,
  leftMs: number,
): Promise<void> {
  const { slots } = engine;
  const { taskId } = owner.loop;
  if (slots.holds('loop', taskId)) {
    slots.give('loop', taskId);
    owner.hasYielded = true;
  }
  const ms = Math.min(leftMs, longestWaitMs);
  // Whoever asks for a slot stands in line for the next probe.
  if (owner.hasYielded && !owner.hasProbed) await takeSlotBack(engine, owner, ms);
  else await engine.clock.sleep(ms, AbortSignal.any([owner.asked, owner.nudged])).catch(() => {});
  owner.forgetTime();
}

/** False: there was none in this time, or something happened first. */
export async function takeSlotBack(
  { slots, clock }: Engine,
  owner: LoopOwner,
  withinMs: number = longestWaitMs,
): Promise<boolean> {
  if (!owner.hasYielded) return true;
  const { taskId: key, createdAt: order, settings } = owner.loop;
  const over = new AbortController();
  const signal = AbortSignal.any([owner.asked, owner.nudged, over.signal]);
  const alarm = clock.sleep(withinMs, signal).then(
    () => over.abort(),
    () => {},
  );
  try {
    await slots.take({ kind: 'loop', key, provider: providerOf(settings), order }, signal);
    owner.hasYielded = false;
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    if (!isShut(error)) throw error;
    // It goes on without one: to its rest.
    owner.hasYielded = false;
    return true;
  } finally {
    over.abort();
    await alarm;
    owner.forgetTime();
  }
}

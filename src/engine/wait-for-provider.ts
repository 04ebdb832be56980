import { endsWithBudget } from '../core/loop/decide.ts';
import type { Engine } from './engine.ts';
import type { LoopOwner } from './loop-owner.ts';
import { isShut } from './sign-in.ts';
import { orderOfLoop, slotPlace } from './slot-place.ts';

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
  yieldSlot(engine, owner);
  const ms = Math.min(leftMs, longestWaitMs);
  // Whoever asks for a slot stands in line for the next probe.
  if (owner.hasYielded && !owner.hasProbed) await takeSlotBack(engine, owner, ms);
  else await engine.clock.sleep(ms, endOfWait(engine, owner)).catch(() => {});
  owner.forgetTime();
}

/** Lets another loop have the slot while this one waits. `takeSlotBack` asks for one again. */
export function yieldSlot({ slots }: Engine, owner: LoopOwner): void {
  const { taskId } = owner.loop;
  if (!slots.holds('loop', taskId)) return;
  slots.give('loop', taskId);
  owner.hasYielded = true;
}

/** Somebody asks for something, the loop is woken, or the budget leaves nothing to wait for. */
export function endOfWait({ budget }: Engine, { loop, asked, nudged }: LoopOwner): AbortSignal {
  return AbortSignal.any([asked, nudged, ...(endsWithBudget(loop) ? [budget.exhausted] : [])]);
}

/** False: there was none in this time, or something happened first. */
export async function takeSlotBack(
  engine: Engine,
  owner: LoopOwner,
  withinMs: number = longestWaitMs,
): Promise<boolean> {
  if (!owner.hasYielded) return true;
  const { slots, clock } = engine;
  const { taskId: key, settings } = owner.loop;
  const order = await orderOfLoop(engine, owner.loop);
  const place = await slotPlace(engine, settings);
  const over = new AbortController();
  const signal = AbortSignal.any([endOfWait(engine, owner), over.signal]);
  const alarm = clock.sleep(withinMs, signal).then(
    () => over.abort(),
    () => {},
  );
  try {
    await slots.take({ kind: 'loop', key, order, ...place }, signal);
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

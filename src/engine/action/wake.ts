import type { Engine } from '../engine.ts';
import type { LoopOwner } from '../loop-owner.ts';
import { takeSlotBack } from '../wait-for-provider.ts';

/** What was waited for is there. A loop that gave its slot away needs one first; without one it looks again. */
export async function wake(engine: Engine, owner: LoopOwner): Promise<void> {
  owner.hasProbed = false;
  if (await takeSlotBack(engine, owner)) await owner.record({ type: 'loop.woken' });
}

import type { Loop } from '../core/loop/loop.ts';
import { isResting } from '../core/loop/status.ts';
import type { Session } from '../ports/store.ts';
import { drive } from './drive.ts';
import type { Engine } from './engine.ts';
import { takeLoop } from './take-loop.ts';
import { isTakenElsewhere, isUnchanged } from './taken-elsewhere.ts';

/**
 * A loop that an engine which is gone has left waiting or running, and that did not get its turn before this one was interrupted:
 * paused, as the signal would have left it. Null: it rests already, or somebody else has it.
 */
export async function pauseUndriven(
  engine: Engine,
  session: Session,
  loop: Loop,
): Promise<Loop | null> {
  if (isResting(loop.status) || !(await isUnchanged(engine, loop))) return null;
  try {
    await using owner = await takeLoop(engine, session, loop.id, { why: 'interrupted' });
    owner.request({ kind: 'interrupt', when: 'cut' });
    return await drive(engine, owner);
  } catch (error) {
    if (isTakenElsewhere(error)) return null;
    throw error;
  }
}

import { isLoopwrightError } from '../core/error.ts';
import type { Loop } from '../core/loop/loop.ts';
import { isResting } from '../core/loop/status.ts';
import type { Session } from '../ports/store.ts';
import type { Engine } from './engine.ts';
import { recordAtRest } from './resting-loop.ts';
import { sendMessage } from './send-message.ts';

/** `done`: it is cleared. `asked`: the owner of the loop clears it before its next iteration. */
export type ClearAnswer = 'done' | 'asked';

/** Forgets what earlier iterations of a loop did: no later prompt tells it. The record of the loop stays. */
export async function clearProgress(
  engine: Engine,
  session: Session,
  loop: Pick<Loop, 'id' | 'status'>,
): Promise<ClearAnswer> {
  if (isResting(loop.status) && (await clearAtRest(engine, session, loop.id))) return 'done';
  await sendMessage(engine, { kind: 'clear-progress', sender: null, to: loop.id, body: '' });
  return 'asked';
}

/** False: the loop is no longer at rest, or another process is about to continue it. */
async function clearAtRest(engine: Engine, session: Session, loopId: string): Promise<boolean> {
  try {
    await recordAtRest(engine, session, loopId, { type: 'progress.cleared' });
    return true;
  } catch (error) {
    if (isLoopwrightError(error) && ['loop.running', 'loop.owned'].includes(error.code)) {
      return false;
    }
    throw error;
  }
}

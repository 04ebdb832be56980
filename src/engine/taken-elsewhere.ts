import { isLoopwrightError, LoopwrightError } from '../core/error.ts';
import type { Loop } from '../core/loop/loop.ts';
import type { Engine } from './engine.ts';
import { readRecorded } from './folded-loop.ts';

const codes: ReadonlySet<string> = new Set(['task.held', 'loop.owned']);

/** Another engine was faster: nothing is wrong. */
export function isTakenElsewhere(error: unknown): boolean {
  return isLoopwrightError(error) && codes.has(error.code);
}

/** Whether a loop is as it was when it was looked at. One that waited for a slot may have been driven elsewhere meanwhile. */
export async function isUnchanged(engine: Engine, loop: Loop): Promise<boolean> {
  const now = await engine.store.read((tx) => readRecorded(tx, loop.id));
  return now?.loop.seq === loop.seq;
}

/** The lease ran out while this process stood still. */
export function takenOver(loop: Loop): LoopwrightError {
  return new LoopwrightError(
    'loop.lost',
    `${loop.id} was taken over by another engine while this one was stalled`,
    { hint: 'nothing was changed here; see `loopwright loop list`' },
  );
}

import { LoopwrightError } from '../core/error.ts';
import { hadCompleted } from '../core/loop/finishing.ts';
import type { Loop } from '../core/loop/loop.ts';
import { worksInPlace } from '../core/loop/place.ts';
import type { Session } from '../ports/store.ts';
import type { Engine } from './engine.ts';
import { readRecorded, refuseDifference } from './folded-loop.ts';
import { MergeQueue } from './merge-queue.ts';
import { mergeByHand, noBaseBranch, noBranch } from './merge-refusal.ts';

/**
 * Brings a complete loop's branch into its base by hand: rebase if the base moved, verify again, fast-forward.
 * Whatever goes wrong, the base and the user's checkout stay as they were and the branch is kept.
 */
export async function mergeLoop(engine: Engine, session: Session, loopId: string): Promise<Loop> {
  const recorded = await engine.store.read((tx) => readRecorded(tx, loopId));
  if (recorded === null) {
    throw new LoopwrightError('loop.not_found', `there is no loop ${loopId}`);
  }
  refuseDifference(recorded);
  const { loop } = recorded;
  if (loop.mergedInto !== null) {
    throw new LoopwrightError('loop.merged', `${loopId} is already merged into ${loop.mergedInto}`);
  }
  if (!hadCompleted(loop)) throw notComplete(loop);
  if (worksInPlace(loop)) throw noBranch(loop);
  if (loop.workspace.baseRef === null) throw noBaseBranch(loop);
  return new MergeQueue(engine, session).merge(loopId);
}

function notComplete(loop: Loop): LoopwrightError {
  return new LoopwrightError(
    'loop.not_complete',
    `${loop.id} is ${loop.status}: only a complete loop can be merged`,
    {
      hint: `go on with \`loopwright loop resume ${loop.id}\`, or ${mergeByHand(loop)}`,
    },
  );
}

import { awaitsMerge, needsFinishing } from '../core/loop/finishing.ts';
import type { Loop } from '../core/loop/loop.ts';
import type { Session } from '../ports/store.ts';
import type { Engine } from './engine.ts';
import type { MergeQueue } from './merge-queue.ts';
import { removeFinished } from './remove-finished.ts';
import { holdAtRest } from './resting-loop.ts';

/**
 * After the end: the merge that was asked for, and the worktree of a complete loop removed. The branch stays until it
 * is merged. Until this is done the loop stays in the queue, so that a crash in between is found and finished.
 */
export async function finishLoop(
  engine: Engine,
  session: Session,
  merges: MergeQueue,
  loop: Loop,
): Promise<Loop> {
  if (!needsFinishing(loop)) return loop;
  if (awaitsMerge(loop)) return merges.merge(loop.id);
  await using held = await holdAtRest(engine, session, loop.id);
  await removeFinished(engine, held, loop);
  return loop;
}

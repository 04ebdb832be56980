import { awaitsMerge, needsFinishing } from '../core/loop/finishing.ts';
import type { Loop } from '../core/loop/loop.ts';
import type { Session } from '../ports/store.ts';
import type { Engine } from './engine.ts';
import type { MergeQueue } from './merge-queue.ts';
import { removeMerged } from './remove-merged.ts';
import { holdAtRest } from './resting-loop.ts';
import { workspaceSpec } from './workspace-spec.ts';

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
  const signal = AbortSignal.timeout(120_000);
  await using _held = await holdAtRest(engine, session, loop.id);
  if (loop.mergedInto !== null) {
    await removeMerged(engine, loop, signal);
    return loop;
  }
  await engine.reach('before:remove-workspace');
  await engine.project.removeWorkspace(workspaceSpec(loop), signal);
  await engine.reach('after:remove-workspace');
  return loop;
}

import type { Loop } from '../core/loop/loop.ts';
import type { Engine } from './engine.ts';
import type { HeldLoop } from './resting-loop.ts';
import { withoutLimit } from './without-limit.ts';
import { workspaceSpec } from './workspace-spec.ts';

/**
 * Removes what a complete loop does not need any more: its worktree, and its branch when all of its work is in the base. Its
 * commits stay reachable. The work itself is safe by then, so a failure is told and left to the next run.
 */
export async function removeFinished(
  engine: Engine,
  held: HeldLoop,
  loop: Loop,
  cut?: AbortSignal,
): Promise<void> {
  const remove = (signal: AbortSignal) => removeParts(engine, loop, signal);
  try {
    await withoutLimit(engine, `removing the worktree of ${loop.id}`, remove, cut);
  } catch (error) {
    held.leaveInQueue();
    const why = error instanceof Error ? error.message : String(error);
    const text = `warning: the worktree of ${loop.id}, which is complete, was not removed: ${why}; the next run tries again`;
    engine.publish({ kind: 'notice', text });
  }
}

async function removeParts(engine: Engine, loop: Loop, signal: AbortSignal): Promise<void> {
  await engine.reach('before:remove-workspace');
  await engine.project.removeWorkspace(workspaceSpec(loop), signal);
  await engine.reach('after:remove-workspace');
  if (loop.mergedInto === null || loop.workspace.branch === null) return;
  await engine.reach('before:delete-branch');
  await engine.project.retireBranch(loop.workspace.branch, signal);
  await engine.reach('after:delete-branch');
}

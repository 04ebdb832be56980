import type { Loop } from '../core/loop/loop.ts';
import type { Engine } from './engine.ts';
import { workspaceSpec } from './workspace-spec.ts';

/** Worktree and branch of a merged loop: all of its work is in the base now. Its own commits stay reachable. */
export async function removeMerged(engine: Engine, loop: Loop, signal: AbortSignal): Promise<void> {
  await engine.reach('before:remove-workspace');
  await engine.project.removeWorkspace(workspaceSpec(loop), signal);
  await engine.reach('after:remove-workspace');
  if (loop.workspace.branch === null) return;
  await engine.reach('before:delete-branch');
  await engine.project.retireBranch(loop.workspace.branch, signal);
  await engine.reach('after:delete-branch');
}

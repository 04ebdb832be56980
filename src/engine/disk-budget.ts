import type { Engine } from './engine.ts';
import type { LoopOwner } from './loop-owner.ts';

/** The disk budget in words when the loop's worktree and files exceed it; null when there is room or no limit. */
export async function exceededDisk(engine: Engine, owner: LoopOwner): Promise<string | null> {
  const limit = owner.loop.settings.budget['max-disk'];
  if (limit === null || limit === 0) return null;
  const files = await engine.artifacts.diskUsage(owner.loop.id);
  const used = files + (await owner.workspace.diskUsage(owner.closing));
  return used < limit ? null : `disk budget: ${megabytes(used)} of ${megabytes(limit)}`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(1)} MB`;
}

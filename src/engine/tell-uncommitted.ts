import type { Loop } from '../core/loop/loop.ts';
import type { Engine } from './engine.ts';

/**
 * Says once that what is not committed in the user's checkout is not in the worktrees of loops, which start from a commit. To be
 * called beside the work, which does not wait for it.
 */
export function createUncommittedNotice(
  engine: Pick<Engine, 'project' | 'publish'>,
): (loop: Loop) => Promise<void> {
  let isTold = false;
  return async ({ workspace }) => {
    if (isTold || workspace.mode !== 'worktree') return;
    isTold = true;
    const { dirty, branch } = await engine.project.describe(AbortSignal.timeout(60_000));
    if (!dirty || (workspace.baseRef !== null && workspace.baseRef !== branch)) return;
    const commit = (workspace.base ?? '').slice(0, 8);
    const start = workspace.baseRef === null ? commit : `${workspace.baseRef} at ${commit}`;
    const text = `warning: your checkout has uncommitted changes; loops start from ${start}, without them`;
    engine.publish({ kind: 'notice', text });
  };
}

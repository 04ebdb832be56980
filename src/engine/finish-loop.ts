import type { Loop } from '../core/loop/loop.ts';
import type { Session } from '../ports/store.ts';
import type { Engine } from './engine.ts';
import { mergeLoop } from './merge-loop.ts';
import { workspaceSpec } from './workspace-spec.ts';

/** After the end: the merge that was asked for, and the worktree of a complete loop removed. The branch stays. */
export async function finishLoop(engine: Engine, session: Session, loop: Loop): Promise<Loop> {
  if (loop.status !== 'complete' || loop.workspace.mode !== 'worktree') return loop;
  // Nothing was committed: the worktree is the only place where the work is.
  if (!loop.options.commit && !loop.options.verifyOnly) return loop;
  const signal = AbortSignal.timeout(120_000);
  if (loop.settings.git.merge === 'local' && !loop.options.verifyOnly) {
    return mergeLoop(engine, session, loop.id);
  }
  await engine.project.removeWorkspace(workspaceSpec(loop), signal);
  return loop;
}

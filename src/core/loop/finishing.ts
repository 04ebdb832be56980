import type { Loop } from './loop.ts';

/**
 * Whether something is left to do after the end: the merge that was asked for, and the worktree to be removed.
 * Without commits the worktree is the only place where the work is, so it stays.
 */
export function needsFinishing(loop: Loop): boolean {
  const { commit, verifyOnly } = loop.options;
  return loop.status === 'complete' && loop.workspace.mode === 'worktree' && (commit || verifyOnly);
}

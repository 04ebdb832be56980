import { lastIteration, type Loop } from './loop.ts';
import { hasProof } from './proof.ts';

/**
 * Whether something is left to do after the end: the merge that was asked for, and the worktree to be removed.
 * Without commits the worktree is the only place where the work is, so it stays.
 */
export function needsFinishing(loop: Loop): boolean {
  const { commit, verifyOnly } = loop.options;
  return loop.status === 'complete' && loop.workspace.mode === 'worktree' && (commit || verifyOnly);
}

/** Complete, and not yet where its dependents start from: its task is done when it is merged. */
export function awaitsMerge(loop: Loop): boolean {
  const { settings, options, mergedInto } = loop;
  const isAsked = settings.git.merge === 'local' && !options.verifyOnly;
  return needsFinishing(loop) && isAsked && mergedInto === null;
}

/** Complete, or it was until its merge was refused: nothing has changed its work since. */
export function hadCompleted(loop: Loop): boolean {
  if (loop.status === 'complete') return true;
  const last = lastIteration(loop);
  // A person has not said yes to its changes yet.
  if (loop.asked !== undefined) return false;
  const isRefused = loop.status === 'blocked' && last !== null && loop.resumedAfter < last.number;
  return isRefused && last.decision?.end?.status === 'complete' && hasProof(loop);
}

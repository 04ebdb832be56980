import { earnedProof, type ProofRecord } from './confirming.ts';
import { lastIteration, type Loop } from './loop.ts';
import { hasPass } from './proof.ts';
import { exitCodeOf, isResting } from './status.ts';

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
  const isOpen = needsFinishing(loop) && isAsked && mergedInto === null;
  return isOpen && !isHeldUnproven(loop);
}

/** Complete, and to be merged, but unproven: a person takes it with `merge` or `approve`. Its task is blocked meanwhile. */
export function isHeldUnproven(loop: Loop): boolean {
  const { settings, options, mergedInto, proofAccepted } = loop;
  const { merge, 'merge-unproven': takesUnproven } = settings.git;
  if (merge !== 'local' || takesUnproven || options.verifyOnly || mergedInto !== null) return false;
  if (!needsFinishing(loop) || proofAccepted !== undefined) return false;
  return earnedProof(loop).kind === 'unproven';
}

/** The exit code of `run` for a loop at rest; null while it is not. */
export function exitCodeOfLoop(loop: Loop): number | null {
  if (!isResting(loop.status)) return null;
  return isHeldUnproven(loop)
    ? exitCodeOf('blocked', 'unproven')
    : exitCodeOf(loop.status, loop.reason);
}

/** What a person is told of a loop that is complete and not merged because it is unproven. */
export function heldText(loop: Loop): string {
  return `complete, unproven; take it with \`loopwright merge ${loop.id}\` or \`loopwright approve ${loop.id}\`: ${earnedProof(loop).why}`;
}

/** How well a completion is shown; null for a loop that is not complete, or that only looks at its base. */
export function proofOf(loop: Loop): ProofRecord | null {
  if (loop.options.verifyOnly || !hadCompleted(loop)) return null;
  return earnedProof(loop);
}

/** Complete, or it was until its merge was refused: nothing has changed its work since. */
export function hadCompleted(loop: Loop): boolean {
  if (loop.status === 'complete') return true;
  const last = lastIteration(loop);
  // A person has not said yes to its changes yet.
  if (loop.asked !== undefined) return false;
  const isRefused = loop.status === 'blocked' && last !== null && loop.resumedAfter < last.number;
  return isRefused && last.decision?.end?.status === 'complete' && hasPass(loop);
}

/** A loop that was followed by another one of its task says nothing about how the task stands. In the order they ended. */
export function newestOfEachTask(loops: readonly Loop[]): readonly Loop[] {
  const newest = new Map(loops.map((loop) => [loop.taskId, loop.id]));
  return loops.filter(({ id, taskId }) => newest.get(taskId) === id);
}

/** How a run ended, beside its loops. */
type RunEnd = {
  readonly loops: readonly Loop[];
  /** The limit of loops is reached, and more tasks are ready. */
  readonly limited: boolean;
  readonly full: string | null;
  readonly spent: string | null;
  readonly waiting: number;
  readonly held: boolean;
};

/** All that the exit code of a run is made of; empty: there was nothing to do. */
export function runExitCodes({ loops, limited, full, spent, waiting, held }: RunEnd): number[] {
  return [
    ...newestOfEachTask(loops).flatMap((loop) => {
      // Its merge was cut short.
      if (awaitsMerge(loop)) return [130];
      return exitCodeOfLoop(loop) ?? [];
    }),
    ...(spent === null ? [] : [5]),
    ...(limited || full !== null || waiting > 0 ? [4] : []),
    ...(held ? [2] : []),
  ];
}

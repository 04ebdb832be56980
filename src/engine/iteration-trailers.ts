import type { Loop } from '../core/loop/loop.ts';
import type { CommitInput } from '../ports/workspace.ts';

/** Trailers that tie a commit to the iteration that made it. */
export function iterationTrailers(loop: Loop, iteration: number): CommitInput['trailers'] {
  return [
    ['Loopwright-Loop', loop.id],
    ['Loopwright-Task', loop.taskId],
    ['Loopwright-Iteration', String(iteration)],
  ];
}

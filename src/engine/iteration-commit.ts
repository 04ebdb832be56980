import type { Iteration, Loop } from '../core/loop/loop.ts';
import { isForbidden } from '../core/verdict/contracts.ts';
import type { CommitInput } from '../ports/workspace.ts';

/** How the work of an iteration is committed: tied to it by trailers, and without files that the contracts forbid. */
export function iterationCommit(
  loop: Loop,
  { number, startTree, startHead }: Pick<Iteration, 'number' | 'startTree' | 'startHead'>,
): CommitInput {
  const { contracts, allow } = loop.settings.verify;
  return {
    startTree,
    startHead,
    subject: `Iteration ${number} of ${loop.title}`,
    trailers: [
      ['Loopwright-Loop', loop.id],
      ['Loopwright-Task', loop.taskId],
      ['Loopwright-Iteration', String(number)],
    ],
    isKeptOut: (file) => isForbidden(contracts.forbidden, allow, file),
  };
}

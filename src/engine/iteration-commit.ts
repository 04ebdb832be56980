import type { Iteration, Loop } from '../core/loop/loop.ts';
import { isForbidden } from '../core/verdict/contracts.ts';
import type { CommitInput } from '../ports/workspace.ts';

/**
 * The engine's own folder in the workspace holds texts of people and other loops, which may be private. An agent that adds them by
 * force would else publish them with its commits.
 */
function isOurs(file: string): boolean {
  return file === '.loopwright' || file.startsWith('.loopwright/');
}

/**
 * How the work of an iteration is committed: tied to it by trailers, without files that the contracts forbid, and without the
 * engine's own.
 */
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
    isKeptOut: (file) => isOurs(file) || isForbidden(contracts.forbidden, allow, file),
  };
}

import { LoopwrightError } from '../core/error.ts';
import type { Loop } from '../core/loop/loop.ts';
import type { Checkpoint, Project } from '../ports/workspace.ts';

/** The commits of a loop, oldest first: from its branch, or from the record when the branch is gone. */
export async function loopCheckpoints(
  project: Project,
  loop: Loop,
): Promise<readonly Checkpoint[]> {
  const { branch, base } = loop.workspace;
  if (branch === null || base === null) return [];
  const signal = AbortSignal.timeout(60_000);
  if ((await project.resolve(`refs/heads/${branch}`, signal)) !== null) {
    return project.checkpoints(branch, base, signal);
  }
  return loop.iterations.flatMap(({ commit, number, endedAt, startedAt }) =>
    commit === null
      ? []
      : [
          {
            commit,
            iteration: number,
            subject: `Iteration ${number} of ${loop.title}`,
            timeMs: endedAt ?? startedAt,
          },
        ],
  );
}

export type RestorePoint = { readonly commit: string; readonly iteration: number | null };

/** The commit that holds the state after an iteration, or the one that a commit id names. */
export function findRestorePoint(
  loop: Loop,
  checkpoints: readonly Checkpoint[],
  wanted: string,
): RestorePoint {
  if (/^\d{1,6}$/.test(wanted)) {
    const number = Number(wanted);
    const known = loop.iterations.some((iteration) => iteration.number === number);
    const found = checkpoints.findLast(
      ({ iteration }) => iteration !== null && iteration <= number,
    );
    if (known && found !== undefined) return { commit: found.commit, iteration: number };
    if (known && loop.workspace.base !== null)
      return { commit: loop.workspace.base, iteration: number };
  }
  const named = checkpoints.filter(({ commit }) => wanted.length >= 4 && commit.startsWith(wanted));
  const [only] = named;
  if (only !== undefined && named.length === 1) return only;
  throw new LoopwrightError(
    'loop.no_checkpoint',
    `${loop.id} has no iteration or commit “${wanted}”`,
    {
      hint: `list them with \`loopwright loop checkpoints ${loop.id}\``,
    },
  );
}

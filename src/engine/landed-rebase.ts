import type { Loop } from '../core/loop/loop.ts';
import type { Engine } from './engine.ts';

/**
 * Where the branch of a loop is if the rebase that was begun has moved it; null when no rebase was begun or the branch is
 * still where it was. The branch moves in one step, after everything else is known, so it is what counts.
 */
export async function landedRebase(
  { project }: Engine,
  { rebaseOnto, workspace }: Loop,
  signal: AbortSignal,
): Promise<string | null> {
  if (rebaseOnto === null || workspace.branch === null) return null;
  const tip = await project.resolve(`refs/heads/${workspace.branch}`, signal);
  if (tip === null) return null;
  return (await project.contains(tip, rebaseOnto, signal)) ? tip : null;
}

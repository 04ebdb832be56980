import { changedPaths } from '../core/loop/changes.ts';
import { matchesAny } from '../core/text/glob.ts';
import type { LoopOwner } from './loop-owner.ts';

/** Puts paths that the agent must not change back to what they were at the start of its iteration; says which. */
export async function putBackProtected(
  owner: LoopOwner,
  startTree: string,
): Promise<readonly string[]> {
  const { protected: globs, allow } = owner.loop.settings.verify;
  if (globs.length === 0) return [];
  const now = await owner.workspace.snapshot(owner.closing);
  if (now === startTree) return [];
  const touched = changedPaths(await owner.changesBetween(startTree, now)).filter(
    (file) => matchesAny(file, globs) && !matchesAny(file, allow),
  );
  if (touched.length === 0) return touched;
  await owner.before('restore-protected');
  await owner.workspace.restore(startTree, touched, owner.closing);
  await owner.after('restore-protected');
  return touched;
}

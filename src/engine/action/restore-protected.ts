import { changedPaths } from '../../core/loop/changes.ts';
import { matchesAny } from '../../core/text/glob.ts';
import type { LoopOwner } from '../loop-owner.ts';

/** Paths the agent must not change are put back before anything looks at them. */
export async function restoreProtected(owner: LoopOwner): Promise<void> {
  const { loop, iteration, workspace } = owner;
  const { protected: globs, allow } = loop.settings.verify;
  if (iteration.agent === null) {
    // Cut before the agent reported: the files are saved all the same.
    return owner.record({ type: 'protected.restored', paths: [] });
  }
  const now = await workspace.snapshot(owner.closing);
  const changes = await owner.changesBetween(iteration.startTree, now);
  const touched = changedPaths(changes).filter(
    (file) => matchesAny(file, globs) && !matchesAny(file, allow),
  );
  if (touched.length > 0) await workspace.restore(iteration.startTree, touched, owner.closing);
  await owner.record({ type: 'protected.restored', paths: touched });
}

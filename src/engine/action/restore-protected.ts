import type { LoopOwner } from '../loop-owner.ts';
import { putBackProtected } from '../protected-paths.ts';

/** Paths the agent must not change are put back before anything looks at them. */
export async function restoreProtected(owner: LoopOwner): Promise<void> {
  const { paths, tree } = await putBackProtected(owner, owner.iteration.startTree);
  owner.seenTree = tree;
  await owner.record({ type: 'protected.restored', paths });
}

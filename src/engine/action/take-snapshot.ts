import path from 'node:path';
import { isEmptyChange, noChanges } from '../../core/loop/changes.ts';
import type { Engine } from '../engine.ts';
import { iterationTrailers } from '../iteration-trailers.ts';
import type { LoopOwner } from '../loop-owner.ts';

/** What the agent did becomes a commit on the loop's branch, a patch file, and a list of changed files. */
export async function takeSnapshot(engine: Engine, owner: LoopOwner): Promise<void> {
  const { loop, iteration, workspace } = owner;
  await owner.before('commit');
  const taken = loop.options.commit
    ? await workspace.commit(
        {
          startTree: iteration.startTree,
          startHead: iteration.startHead,
          subject: `Iteration ${iteration.number} of ${loop.title}`,
          trailers: iterationTrailers(loop, iteration.number),
        },
        owner.closing,
      )
    : {
        commit: null,
        head: await workspace.head(owner.closing),
        tree: await workspace.snapshot(owner.closing),
        repaired: [],
      };
  await owner.after('commit');
  const changes =
    taken.tree === iteration.startTree
      ? noChanges
      : await owner.changesBetween(iteration.startTree, taken.tree);
  if (!isEmptyChange(changes)) {
    const dir = await engine.artifacts.iterationDir(loop.id, iteration.number);
    const file = path.join(dir, 'changes.patch');
    await owner.before('write-patch');
    // Nothing waits for the patch; the loop's end does.
    owner.inBackground(workspace.writePatch(iteration.startTree, taken.tree, file, owner.closing));
    await owner.after('write-patch');
  }
  await owner.record({
    type: 'snapshot.taken',
    tree: taken.tree,
    commit: taken.commit,
    head: taken.head,
    changes,
    repaired: taken.repaired,
  });
}

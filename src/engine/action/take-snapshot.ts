import path from 'node:path';
import { isEmptyChange, noChanges, type FileChanges } from '../../core/loop/changes.ts';
import type { Engine } from '../engine.ts';
import { iterationTrailers } from '../iteration-trailers.ts';
import type { LoopOwner } from '../loop-owner.ts';

/** What the agent did becomes a commit on the loop's branch, a patch file, and a list of changed files. */
export async function takeSnapshot(engine: Engine, owner: LoopOwner): Promise<void> {
  const { loop, iteration, workspace } = owner;
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
  const changes =
    taken.tree === iteration.startTree
      ? noChanges
      : await workspace.changes(iteration.startTree, taken.tree, owner.closing);
  if (!isEmptyChange(changes)) {
    const dir = await engine.artifacts.iterationDir(loop.id, iteration.number);
    const file = path.join(dir, 'changes.patch');
    await workspace.writePatch(iteration.startTree, taken.tree, file, owner.closing);
  }
  await owner.record({
    type: 'snapshot.taken',
    tree: taken.tree,
    commit: taken.commit,
    head: taken.head,
    changes,
    differsFromBase: await differsFromBase(owner, taken, changes),
    repaired: taken.repaired,
  });
}

/**
 * On a branch the commits say it exactly: what checks leave behind is never committed. Without commits the
 * files are compared with those the first iteration started from.
 */
async function differsFromBase(
  owner: LoopOwner,
  taken: { readonly head: string | null; readonly tree: string },
  changes: FileChanges,
): Promise<boolean> {
  const { loop, workspace } = owner;
  const { base } = loop.workspace;
  const commits = loop.options.commit && base !== null && taken.head !== null;
  if (commits && taken.head === base) return false;
  const [from, to] = commits
    ? [base, taken.head]
    : [loop.iterations[0]?.startTree ?? taken.tree, taken.tree];
  if (from === to) return false;
  if (!commits && loop.iterations.length === 1) return !isEmptyChange(changes);
  return !isEmptyChange(await workspace.changes(from, to, owner.closing));
}

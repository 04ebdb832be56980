import { worksInPlace } from '../core/loop/place.ts';
import type { Engine } from './engine.ts';
import type { LoopOwner } from './loop-owner.ts';
import { withThrowaway } from './throwaway-worktree.ts';
import type { Workspace } from '../ports/workspace.ts';

export type BaseFiles = { readonly workspace: Workspace; readonly tree: string };

/**
 * Gives `work` the files of the base as they are without the loop's work: the workspace itself before the first
 * iteration, a worktree of its own later (after a rebase), which is removed again.
 */
export async function withBaseFiles(
  engine: Engine,
  owner: LoopOwner,
  work: (files: BaseFiles) => Promise<void>,
): Promise<void> {
  const { loop, workspace } = owner;
  const { base } = loop.workspace;
  if (base === null || loop.head === base || worksInPlace(loop)) {
    return work({ workspace, tree: await owner.currentTree() });
  }
  await owner.before('discard-base');
  const place = { name: 'base', commit: base } as const;
  await withThrowaway(
    engine,
    loop,
    place,
    async (clean) => work({ workspace: clean, tree: await clean.snapshot(owner.closing) }),
    owner.cut,
  );
}

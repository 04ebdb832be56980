import path from 'node:path';
import type { Loop } from '../core/loop/loop.ts';
import type { WorkspaceSpec } from '../ports/workspace.ts';
import type { Engine } from './engine.ts';
import type { LoopOwner } from './loop-owner.ts';
import { setUpWorkspace } from './set-up-workspace.ts';
import { workspaceSpec } from './workspace-spec.ts';

export type BaseFiles = { readonly path: string; readonly tree: string };

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
  if (base === null || loop.head === base || loop.workspace.mode === 'in-place') {
    return work({ path: workspace.path, tree: await workspace.snapshot(owner.closing) });
  }
  const spec = baseSpec(loop);
  const discard = async () => {
    await owner.before('discard-base');
    await engine.project.removeWorkspace(spec, owner.closing);
    await engine.project.deleteBranch(spec.branch, owner.closing);
    await owner.after('discard-base');
  };
  // A crash may have left one behind, at an older base.
  await discard();
  const { workspace: clean } = await engine.project.openWorkspace(spec, owner.closing);
  try {
    await setUpWorkspace(engine, loop, { cwd: clean.path, walled: false }, owner.cut);
    await work({ path: clean.path, tree: await clean.snapshot(owner.closing) });
  } finally {
    await discard();
  }
}

function baseSpec(loop: Loop): WorkspaceSpec & { readonly branch: string } {
  const loopId = `${loop.id}-base`;
  const folder = path.join(path.dirname(loop.workspace.path), loopId);
  return { ...workspaceSpec(loop), loopId, path: folder, branch: `loopwright/${loopId}` };
}

import path from 'node:path';
import type { Loop } from '../core/loop/loop.ts';
import type { Workspace, WorkspaceSpec } from '../ports/workspace.ts';
import type { Engine } from './engine.ts';
import { setUpWorkspace } from './set-up-workspace.ts';
import { workspaceSpec } from './workspace-spec.ts';

export type Throwaway = {
  /** Tells several of one loop apart; part of its folder's name. */
  readonly name: string;
  readonly commit: string;
  /** Replaces the environment of checks for `workspace.setup`. */
  readonly env?: Readonly<Record<string, string>>;
};

/**
 * Gives `work` a worktree of its own at a commit, set up like the loop's, and removes it again with all that was done
 * in it. One that a crash has left behind is removed first.
 */
export async function withThrowaway<T>(
  engine: Engine,
  loop: Loop,
  { name, commit, env }: Throwaway,
  work: (workspace: Workspace) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const spec = throwawaySpec(loop, name, commit);
  await discard(engine, spec);
  // Making it takes a moment and is not cut short: half a worktree helps nobody.
  const { workspace } = await engine.project.openWorkspace(spec, AbortSignal.timeout(120_000));
  try {
    await setUpWorkspace(engine, loop, workspace.path, signal, env);
    return await work(workspace);
  } finally {
    await discard(engine, spec);
  }
}

type ThrowawaySpec = WorkspaceSpec & { readonly branch: string };

async function discard({ project, reach }: Engine, spec: ThrowawaySpec): Promise<void> {
  // Whatever asked to stop, what was made here goes away.
  const signal = AbortSignal.timeout(60_000);
  await reach('before:discard-base');
  await project.removeWorkspace(spec, signal);
  await project.deleteBranch(spec.branch, signal);
  await reach('after:discard-base');
}

function throwawaySpec(loop: Loop, name: string, commit: string): ThrowawaySpec {
  const loopId = `${loop.id}-${name}`;
  const folder = path.join(path.dirname(loop.workspace.path), loopId);
  const branch = `loopwright/${loopId}`;
  return { ...workspaceSpec(loop), mode: 'worktree', loopId, path: folder, branch, base: commit };
}

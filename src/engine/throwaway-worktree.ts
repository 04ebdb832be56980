import path from 'node:path';
import type { Loop } from '../core/loop/loop.ts';
import type { Workspace, WorkspaceSpec } from '../ports/workspace.ts';
import type { Engine } from './engine.ts';
import type { Room } from './run-command.ts';
import { setUpWorkspace } from './set-up-workspace.ts';
import { workspaceSpec } from './workspace-spec.ts';

export type Throwaway = {
  /** Tells several of one loop apart; part of its folder's name. */
  readonly name: string;
  readonly commit: string;
  /** Where `workspace.setup` runs apart from the user's own environment. */
  readonly room?: Room;
};

/**
 * Gives `work` a worktree of its own at a commit, set up like the loop's, and removes it again with all that was done
 * in it. One that a crash has left behind is removed first.
 */
export async function withThrowaway<T>(
  engine: Engine,
  loop: Loop,
  { name, commit, room }: Throwaway,
  work: (workspace: Workspace) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const spec = throwawaySpec(loop, name, commit);
  await discard(engine, spec);
  // Making it takes a moment and is not cut short: half a worktree helps nobody.
  const { workspace } = await engine.project.openWorkspace(spec, AbortSignal.timeout(120_000));
  try {
    const place = { cwd: workspace.path, walled: commit !== loop.workspace.base };
    await setUpWorkspace(engine, loop, place, signal, room);
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
  const { recorded: _, ...spec } = workspaceSpec(loop);
  return { ...spec, mode: 'worktree', loopId, path: folder, branch, base: commit };
}

import path from 'node:path';
import type { Loop } from '../core/loop/loop.ts';
import { throwawayId, type ThrowawayName } from '../core/loop/throwaway.ts';
import type { Workspace, WorkspaceSpec } from '../ports/workspace.ts';
import type { Engine } from './engine.ts';
import type { Room } from './run-command.ts';
import { setUpWorkspace } from './set-up-workspace.ts';
import { withoutLimit } from './without-limit.ts';
import { workspaceSpec } from './workspace-spec.ts';

export type Throwaway = {
  /** Tells several of one loop apart; part of its folder's name. */
  readonly name: ThrowawayName;
  readonly commit: string;
  /** Where `workspace.setup` runs apart from the user's own environment. */
  readonly room?: Room;
  /** Making it ends with this signal; absent: it is not cut short. */
  readonly cut?: AbortSignal;
};

/** How `workspace.setup` ended; null when there is none. */
export type SetUp = Awaited<ReturnType<typeof setUpWorkspace>>;

/**
 * Gives `work` a worktree of its own at a commit, on no branch, set up like the loop's, and removes it again with all that was done
 * in it. One that a crash has left behind is removed first, or when the next engine starts (`tidyWorktrees`).
 */
export async function withThrowaway<T>(
  engine: Engine,
  loop: Loop,
  { name, commit, room, cut }: Throwaway,
  work: (workspace: Workspace, setUp: SetUp) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const spec = throwawaySpec(loop, name, commit);
  await discard(engine, spec);
  const what = `making the worktree ${spec.loopId}`;
  try {
    const { workspace } = await withoutLimit(
      engine,
      what,
      async (unlimited) => {
        const opened = await engine.project.openWorkspace(spec, unlimited);
        await opened.workspace.detach(unlimited);
        return opened;
      },
      cut,
    );
    const place = { cwd: workspace.path, walled: commit !== loop.workspace.base };
    const setUp = await setUpWorkspace(engine, loop, place, signal, room);
    return await work(workspace, setUp);
  } finally {
    // The next one of this name is made after what is left of this one is removed.
    await discard(engine, spec).catch((error: unknown) => {
      const text = error instanceof Error ? error.message : String(error);
      engine.publish({ kind: 'notice', text: `warning: ${spec.path} was not removed: ${text}` });
    });
  }
}

type ThrowawaySpec = WorkspaceSpec & { readonly branch: string };

/** Whatever asked to stop, what was made here goes away. */
async function discard(engine: Engine, spec: ThrowawaySpec): Promise<void> {
  const { project, reach } = engine;
  await reach('before:discard-base');
  await withoutLimit(engine, `removing the worktree ${spec.loopId}`, async (signal) => {
    await project.removeWorkspace(spec, signal);
    await project.deleteBranch(spec.branch, signal);
  });
  await reach('after:discard-base');
}

function throwawaySpec(loop: Loop, name: ThrowawayName, commit: string): ThrowawaySpec {
  const loopId = throwawayId(loop.id, name);
  const folder = path.join(path.dirname(loop.workspace.path), loopId);
  const branch = `loopwright/${loopId}`;
  const { recorded: _, ...spec } = workspaceSpec(loop);
  return { ...spec, mode: 'worktree', loopId, path: folder, branch, base: commit };
}

import { existsSync } from 'node:fs';
import type { Loop } from '../core/loop/loop.ts';
import type { Session } from '../ports/store.ts';
import type { Engine } from './engine.ts';
import { holdAtRest } from './resting-loop.ts';
import { withoutLimit } from './without-limit.ts';
import { workspaceSpec } from './workspace-spec.ts';

/**
 * Removes worktree and branch of loops that failed or were cancelled longer ago than that. A worktree somebody has worked in
 * since stays, and so does a branch that is not where the loop left it. Answers what was removed.
 */
export async function sweepFailed(
  engine: Engine,
  session: Session,
  keepMs: number,
): Promise<readonly string[]> {
  const before = engine.clock.now() - keepMs;
  const rows = await engine.store.read((tx) => tx.loops.list({ statuses: ['failed', 'stopped'] }));
  const swept: string[] = [];
  for (const { id, updatedAt, status, reason } of rows) {
    if (updatedAt >= before || (status === 'stopped' && reason !== 'cancelled')) continue;
    const loop = await engine.store.read((tx) => tx.loops.get(id));
    // Without its folder it was swept before.
    if (loop?.workspace.mode !== 'worktree' || !existsSync(loop.workspace.path)) continue;
    if (await sweep(engine, session, loop)) swept.push(id);
  }
  return swept;
}

async function sweep(engine: Engine, session: Session, { id }: Loop): Promise<boolean> {
  await using held = await holdAtRest(engine, session, id);
  const remove = (signal: AbortSignal) => removeUnchanged(engine, held.loop, signal);
  return withoutLimit(engine, `removing the worktree of ${id}`, remove);
}

/** False when somebody has worked in it since, and it stays. */
async function removeUnchanged(engine: Engine, loop: Loop, signal: AbortSignal): Promise<boolean> {
  const spec = workspaceSpec(loop);
  const { branch } = loop.workspace;
  const opened = await engine.project.openWorkspace(spec, signal);
  const { status } = await opened.workspace.describe({ diffChars: 1, logEntries: 1 }, signal);
  if (status.trim() !== '') return false;
  const head = branch === null ? null : await opened.workspace.head(signal);
  await engine.reach('before:remove-workspace');
  await engine.project.removeWorkspace(spec, signal);
  await engine.reach('after:remove-workspace');
  if (branch === null || head !== loop.head) return true;
  await engine.reach('before:delete-branch');
  await engine.project.deleteBranch(branch, signal);
  await engine.reach('after:delete-branch');
  return true;
}

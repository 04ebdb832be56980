import type { Loop } from '../core/loop/loop.ts';
import type { WorkspaceSpec } from '../ports/workspace.ts';

/** A loop's workspace as the workspace port wants it. */
export function workspaceSpec(loop: Loop): WorkspaceSpec {
  const { mode, path, branch, base } = loop.workspace;
  const { copy, link, pool } = loop.settings.workspace;
  return { loopId: loop.id, mode, path, branch, base, copy, link, pool };
}

import path from 'node:path';
import type { WorkspaceSpec } from '../../src/ports/workspace.ts';

export type LoopSpec = WorkspaceSpec & { readonly base: string; readonly branch: string };

/** The worktree of a loop as the engine asks for it. */
export function loopSpecAt(root: string, base: string, loopId: string): LoopSpec {
  const folder = path.join(root, '.loopwright/worktrees', loopId);
  const branch = `loopwright/${loopId}`;
  return { loopId, mode: 'worktree', path: folder, branch, base, copy: [], link: [] };
}

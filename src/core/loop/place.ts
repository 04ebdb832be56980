import type { WorkspaceRecord } from './event.ts';

/**
 * Whether the agent works in the user's own folder: asked for with `--in-place`, and always so outside git. Only the workspace
 * says so: the option alone is false outside git.
 */
export function worksInPlace(loop: { readonly workspace: Pick<WorkspaceRecord, 'mode'> }): boolean {
  return loop.workspace.mode === 'in-place';
}

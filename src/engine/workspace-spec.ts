import type { Loop } from '../core/loop/loop.ts';
import type { WorkspaceSpec } from '../ports/workspace.ts';

/** A loop's workspace as the workspace port wants it. */
export function workspaceSpec(loop: Loop): WorkspaceSpec {
  const { mode, path, branch, base } = loop.workspace;
  const { copy, link, pool } = loop.settings.workspace;
  const spec = { loopId: loop.id, mode, path, branch, base, copy, link, pool };
  return loop.iterations.length === 0 ? spec : { ...spec, recorded: recordedCommits(loop) };
}

function recordedCommits({ head, iterations }: Loop): readonly string[] {
  const commits = iterations.toReversed().flatMap(({ commit, startHead }) => [commit, startHead]);
  return [...new Set([head, ...commits])].filter((commit) => commit !== null);
}

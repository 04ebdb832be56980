import { LoopwrightError } from '../core/error.ts';
import type { Loop } from '../core/loop/loop.ts';
import type { Session } from '../ports/store.ts';
import type { Workspace } from '../ports/workspace.ts';
import type { Engine } from './engine.ts';
import { holdAtRest } from './resting-loop.ts';
import { runVerification } from './run-verification.ts';
import { setUpWorkspace } from './set-up-workspace.ts';
import { workspaceSpec } from './workspace-spec.ts';

const tries = 5;

/**
 * Brings a complete loop's branch into its base: rebase if the base moved, verify again, fast-forward.
 * Whatever goes wrong, the base and the user's checkout stay as they were and the branch is kept.
 */
export async function mergeLoop(engine: Engine, session: Session, loopId: string): Promise<Loop> {
  const loop = await mergeable(engine, loopId);
  await using lease = await holdAtRest(engine, session, loopId);
  const baseRef = loop.workspace.baseRef;
  if (baseRef === null) throw noBranch(loop);
  const signal = AbortSignal.timeout(3_600_000);
  const spec = workspaceSpec(loop);
  const { workspace, created } = await engine.project.openWorkspace(spec, signal);
  if (created) await setUpWorkspace(engine, loop, workspace.path, signal);
  for (let attempt = 1; attempt <= tries; attempt++) {
    const from = await engine.project.resolve(`refs/heads/${baseRef}`, signal);
    if (from === null) throw new LoopwrightError('git.no_base', `the branch ${baseRef} is gone`);
    const to = await verifiedHead(engine, loop, workspace, from, signal);
    const moved = await engine.project.fastForward(baseRef, from, to, signal);
    if (moved.kind === 'dirty') throw dirtyTarget(loop, baseRef, moved.path);
    if (moved.kind === 'filtered') throw filteredFiles(loop, moved.files);
    if (moved.kind === 'moved-meanwhile') continue;
    const merged = await lease.record({ type: 'loop.merged', into: baseRef, commit: to });
    await engine.project.removeWorkspace(spec, signal);
    if (loop.workspace.branch !== null)
      await engine.project.deleteBranch(loop.workspace.branch, signal);
    return merged;
  }
  throw new LoopwrightError('git.busy', `${baseRef} kept moving while ${loopId} was being merged`, {
    hint: `try again: \`loopwright merge ${loopId}\``,
  });
}

async function mergeable(engine: Engine, loopId: string): Promise<Loop> {
  const loop = await engine.store.read((tx) => tx.loops.get(loopId));
  if (loop === null) throw new LoopwrightError('loop.not_found', `there is no loop ${loopId}`);
  if (loop.mergedInto !== null) {
    throw new LoopwrightError('loop.merged', `${loopId} is already merged into ${loop.mergedInto}`);
  }
  if (loop.status !== 'complete') {
    throw new LoopwrightError(
      'loop.not_complete',
      `${loopId} is ${loop.status}: only a complete loop can be merged`,
      {
        hint: `go on with \`loopwright loop resume ${loopId}\`, or merge the branch yourself: \`git merge ${loop.workspace.branch ?? ''}\``,
      },
    );
  }
  if (loop.workspace.mode === 'in-place') throw noBranch(loop);
  return loop;
}

/** The head to merge: as verified when the base has not moved, else rebased and verified again. */
async function verifiedHead(
  engine: Engine,
  loop: Loop,
  workspace: Workspace,
  base: string,
  signal: AbortSignal,
): Promise<string> {
  const rebased = await workspace.rebase(base, loop.workspace.base ?? base, signal);
  if (rebased.kind === 'conflict') {
    throw new LoopwrightError(
      'git.conflict',
      `${loop.id} conflicts with ${loop.workspace.baseRef ?? 'its base'} in ${rebased.files.join(', ')}`,
      {
        hint: `resolve it in ${workspace.path}, then \`loopwright merge ${loop.id}\`; nothing was changed`,
      },
    );
  }
  if (rebased.head === loop.head) return rebased.head;
  const dir = await engine.artifacts.namedDir(loop.id, 'merge');
  const tree = await workspace.snapshot(signal);
  const report = await runVerification(engine, loop, { cwd: workspace.path, dir, tree }, signal);
  if (report?.overall.passed === true) return rebased.head;
  throw new LoopwrightError(
    'merge.red',
    `${loop.id} no longer passes its checks on top of ${loop.workspace.baseRef ?? 'its base'}`,
    {
      hint: `see ${dir}; start another loop on the new base with \`loopwright run ${loop.taskId} --new\` after \`loopwright task reset ${loop.taskId}\``,
    },
  );
}

function noBranch(loop: Loop): LoopwrightError {
  return new LoopwrightError('loop.no_branch', `${loop.id} has no branch of its own to merge`);
}

function filteredFiles(loop: Loop, files: readonly string[]): LoopwrightError {
  const [first = '', ...more] = files;
  const named = more.length === 0 ? first : `${first} and ${more.length} more`;
  return new LoopwrightError(
    'git.filtered',
    `${named} is under a content filter (git-lfs, git-crypt), which this program never runs; nothing was touched`,
    { hint: `merge it yourself: \`git merge ${loop.workspace.branch ?? ''}\`` },
  );
}

function dirtyTarget(loop: Loop, branch: string, path: string): LoopwrightError {
  return new LoopwrightError(
    'git.dirty',
    `${branch} is checked out with uncommitted changes at ${path}; it was not touched`,
    { hint: `commit or stash them, then \`loopwright merge ${loop.id}\`` },
  );
}

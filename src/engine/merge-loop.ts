import { isLoopwrightError, LoopwrightError } from '../core/error.ts';
import type { Loop } from '../core/loop/loop.ts';
import type { Session } from '../ports/store.ts';
import type { Workspace } from '../ports/workspace.ts';
import type { Engine } from './engine.ts';
import { holdAtRest, type HeldLoop } from './resting-loop.ts';
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
  await using held = await holdAtRest(engine, session, loopId);
  try {
    return await mergeHeld(engine, loop, held);
  } catch (error) {
    // What is nobody's decision (a full disk, git broken) is tried again by the next run.
    if (!isLoopwrightError(error) || !refusals.has(error.code)) held.leaveInQueue();
    throw error;
  }
}

/** A person must do something first. */
const refusals: ReadonlySet<string> = new Set([
  'git.dirty',
  'git.conflict',
  'git.busy',
  'git.locked',
  'git.filtered',
  'git.no_base',
  'loop.no_branch',
  'merge.red',
]);

async function mergeHeld(engine: Engine, loop: Loop, held: HeldLoop): Promise<Loop> {
  const baseRef = loop.workspace.baseRef;
  if (baseRef === null) throw noBranch(loop);
  const signal = AbortSignal.timeout(3_600_000);
  const spec = workspaceSpec(loop);
  await engine.reach('before:open-workspace');
  const { workspace, created } = await engine.project.openWorkspace(spec, signal);
  if (created) {
    await setUpWorkspace(engine, loop, { cwd: workspace.path, walled: true }, signal);
  }
  for (let attempt = 1; attempt <= tries; attempt++) {
    const from = await engine.project.resolve(`refs/heads/${baseRef}`, signal);
    if (from === null) throw new LoopwrightError('git.no_base', `the branch ${baseRef} is gone`);
    const to = await verifiedHead(engine, loop, workspace, from, signal);
    await held.record({ type: 'merge.started', into: baseRef, from, to });
    await engine.reach('before:fast-forward');
    const moved = await engine.project.fastForward(baseRef, from, to, signal);
    await engine.reach('after:fast-forward');
    if (moved.kind === 'dirty') throw dirtyTarget(loop, baseRef, moved.path);
    if (moved.kind === 'filtered') throw filteredFiles(loop, moved.files);
    if (moved.kind === 'moved-meanwhile') continue;
    const merged = await held.record({ type: 'loop.merged', into: baseRef, commit: to });
    await removeMerged(engine, merged, signal);
    return merged;
  }
  throw new LoopwrightError(
    'git.busy',
    `${baseRef} kept moving while ${loop.id} was being merged`,
    {
      hint: `try again: \`loopwright merge ${loop.id}\``,
    },
  );
}

/** Worktree and branch of a merged loop: all of its work is in the base now. */
export async function removeMerged(engine: Engine, loop: Loop, signal: AbortSignal): Promise<void> {
  await engine.reach('before:remove-workspace');
  await engine.project.removeWorkspace(workspaceSpec(loop), signal);
  await engine.reach('after:remove-workspace');
  if (loop.workspace.branch === null) return;
  await engine.reach('before:delete-branch');
  await engine.project.deleteBranch(loop.workspace.branch, signal);
  await engine.reach('after:delete-branch');
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
        hint: `go on with \`loopwright loop resume ${loopId}\`, or ${mergeByHand(loop)}`,
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
  await engine.reach('before:merge-rebase');
  const rebased = await workspace.rebase(base, loop.workspace.base ?? base, signal);
  await engine.reach('after:merge-rebase');
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
  const work = {
    from: base,
    to: rebased.head,
    changes: (from: string, to: string) => workspace.changes(from, to, signal),
  };
  const judged = { cwd: workspace.path, dir, tree, commit: rebased.head, work };
  const report = await runVerification(engine, loop, judged, signal);
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
    { hint: mergeByHand(loop) },
  );
}

/** git in the user's own shell obeys the repository's configuration, which an agent may have changed. */
function mergeByHand({ id, workspace, iterations }: Loop): string {
  const merge = `merge the branch yourself: \`git merge ${workspace.branch ?? ''}\``;
  const isChanged = iterations.some(({ tampered }) => tampered !== undefined);
  if (!isChanged) return merge;
  return `${merge}, but look first at what was changed around the workspace (\`loopwright loop explain ${id}\`): git may run it`;
}

function dirtyTarget(loop: Loop, branch: string, path: string): LoopwrightError {
  return new LoopwrightError(
    'git.dirty',
    `${branch} is checked out with uncommitted changes at ${path}; it was not touched`,
    { hint: `commit or stash them, then \`loopwright merge ${loop.id}\`` },
  );
}

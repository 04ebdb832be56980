import { LoopwrightError } from '../../core/error.ts';
import type { Loop } from '../../core/loop/loop.ts';
import { isResting } from '../../core/loop/status.ts';
import type { Engine } from '../../engine/engine.ts';
import { isSessionAlive } from '../../engine/session.ts';
import { withoutLimit } from '../../engine/without-limit.ts';
import { workspaceSpec } from '../../engine/workspace-spec.ts';
import type { Command } from '../command.ts';
import { exitCodes } from '../exit-code.ts';
import { isGiven, requiredArgument, wantsJson } from '../input.ts';
import { resolveLoop, loopArgument } from '../resolve-loop.ts';

export const loopDelete: Command = {
  path: ['loop', 'delete'],
  summary: 'Remove a loop with its worktree, branch and files.',
  details:
    'A loop that is being driven is refused. The last commit of the branch is named, so that the branch can be made ' +
    'again while git still keeps it. The task stays.',
  args: [loopArgument],
  options: [{ name: 'keep-branch', summary: 'Leave the branch.' }],
  examples: [
    { line: 'loopwright loop delete loop-1a2b', does: 'Removes everything of that loop.' },
    { line: 'loopwright loop delete last --keep-branch', does: 'Keeps its commits.' },
  ],

  async run(input, context) {
    await using opened = await context.open();
    const { engine } = opened;
    const loop = await resolveLoop(engine, requiredArgument(input, 'LOOP'));
    await refuseDriven(engine, loop);
    const { branch, left } = await removeFromGit(engine, loop, isGiven(input, 'keep-branch'));
    await engine.artifacts.remove(loop.id);
    await engine.store.write(async (tx) => {
      const current = await tx.loops.get(loop.id);
      if (current !== null && current.seq !== loop.seq) throw driven(loop);
      await tx.loops.delete(loop.id);
    });
    if (wantsJson(input)) {
      const result = {
        loop: loop.id,
        task: loop.taskId,
        branch: branch?.name ?? null,
        head: branch?.head ?? null,
        ...(left === null ? {} : { left }),
      };
      context.out.write(`${JSON.stringify({ ...result, exitCode: exitCodes.ok })}\n`);
      return exitCodes.ok;
    }
    context.out.write(`${loop.id} is deleted\n`);
    if (left !== null) {
      context.out.write(`${left} is not its worktree any more: what stands there was left alone\n`);
    }
    if (branch !== null) {
      context.out.write(`its branch can be made again: git branch ${branch.name} ${branch.head}\n`);
    }
    return exitCodes.ok;
  },
};

/** A loop whose owner is gone may be deleted even if it never came to rest. */
async function refuseDriven(engine: Engine, loop: Loop): Promise<void> {
  if (isResting(loop.status)) return;
  const entries = await engine.store.read((tx) => tx.queue.entries());
  const owner = entries.find(({ loopId }) => loopId === loop.id)?.owner ?? null;
  if (owner !== null && (await isSessionAlive(engine, owner))) throw driven(loop);
}

function driven(loop: Loop): LoopwrightError {
  return new LoopwrightError('loop.running', `${loop.id} is being driven right now`, {
    hint: `stop it first: \`loopwright loop stop ${loop.id} --now\``,
  });
}

type Removed = {
  readonly branch: { readonly name: string; readonly head: string } | null;
  /** What stands in place of the worktree and is not the loop's. */
  readonly left: string | null;
};

/** Worktree first, then the branch; the answer is the branch that is gone. */
async function removeFromGit(engine: Engine, loop: Loop, keepBranch: boolean): Promise<Removed> {
  const { mode } = loop.workspace;
  // In place the files and the branch are the user's own.
  if (mode !== 'worktree') return { branch: null, left: null };
  const remove = (signal: AbortSignal) => removeParts(engine, loop, keepBranch, signal);
  return withoutLimit(engine, `removing the worktree of ${loop.id}`, remove);
}

async function removeParts(
  engine: Engine,
  loop: Loop,
  keepBranch: boolean,
  signal: AbortSignal,
): Promise<Removed> {
  const { branch } = loop.workspace;
  const spec = { ...workspaceSpec(loop), pool: 0 };
  const left = await engine.project.removeWorkspace(spec, signal);
  if (branch === null || keepBranch) return { branch: null, left };
  const head = await engine.project.resolve(`refs/heads/${branch}`, signal);
  // Also without a branch: what keeps the commits of a merged loop goes too.
  await engine.project.deleteBranch(branch, signal);
  return { branch: head === null ? null : { name: branch, head }, left };
}

import type { Loop } from '../../core/loop/loop.ts';
import type { Task } from '../../core/task/task.ts';
import { plainText } from '../../core/text/terminal.ts';
import type { Engine } from '../../engine/engine.ts';
import { withoutLimit } from '../../engine/without-limit.ts';
import { workspaceSpec } from '../../engine/workspace-spec.ts';
import type { StoreTx } from '../../ports/store.ts';
import type { Command, CommandInput } from '../command.ts';
import type { CliContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { isGiven, requiredArgument, usageError, wantsJson } from '../input.ts';
import { plural } from '../render/format.ts';
import { refuseRunning } from './task-by-hand.ts';
import { taskArgument } from './task-view.ts';

export const taskDelete: Command = {
  path: ['task', 'delete'],
  summary: 'Remove a task with its parts, its loops and their branches.',
  details:
    'Refused while it is being worked on. The last commit of every branch is named, so that it can be made again while git still keeps it. On a terminal it asks first.',
  args: [taskArgument],
  options: [{ name: 'yes', short: 'y', summary: 'Do not ask.' }],
  examples: [
    { line: 'loopwright task delete t-1a2b3c4d', does: 'Asks, then removes it.' },
    { line: 'loopwright task delete t-1a2b3c4d --yes', does: 'Removes it without asking.' },
  ],
  run: runTaskDelete,
};

type Doomed = {
  readonly task: Task;
  readonly below: readonly Task[];
  readonly loops: readonly Loop[];
};
type GoneBranch = { readonly branch: string; readonly head: string };

async function runTaskDelete(input: CommandInput, context: CliContext): Promise<number> {
  await using opened = await context.open();
  const { engine } = opened;
  const doomed = await engine.store.read((tx) => collect(tx, requiredArgument(input, 'TASK')));
  for (const task of [doomed.task, ...doomed.below]) await refuseRunning(engine, task);
  if (!isGiven(input, 'yes') && !(await isConfirmed(doomed, input, context))) {
    context.err.write('Nothing was deleted.\n');
    return exitCodes.refused;
  }
  await engine.store.write(async (tx) => {
    await tx.tasks.expireLeases(await tx.leaseTime(), engine.clock.now());
    await tx.tasks.delete(doomed.task.id);
  });
  const branches = await removeLoops(engine, doomed.loops);
  tell(doomed, branches, input, context);
  return exitCodes.ok;
}

async function collect(tx: StoreTx, reference: string): Promise<Doomed> {
  const task = await tx.tasks.resolve(reference);
  const children = Map.groupBy(await tx.tasks.list({}), ({ parentId }) => parentId);
  const below: Task[] = [];
  for (let level = children.get(task.id) ?? []; level.length > 0;) {
    below.push(...level);
    level = level.flatMap(({ id }) => children.get(id) ?? []);
  }
  const loops: Loop[] = [];
  for (const { id } of [task, ...below]) {
    for (const row of await tx.loops.list({ taskId: id })) {
      const loop = await tx.loops.get(row.id);
      if (loop !== null) loops.push(loop);
    }
  }
  return { task, below, loops };
}

async function isConfirmed(
  { task, below, loops }: Doomed,
  input: CommandInput,
  context: CliContext,
): Promise<boolean> {
  const parts = below.length === 0 ? '' : ` with ${plural(below.length, 'part')}`;
  const work =
    loops.length === 0 ? '' : `${parts === '' ? ' with' : ' and'} ${plural(loops.length, 'loop')}`;
  const what = `${task.id} “${plainText(task.title)}”${parts}${work}`;
  if (!context.stdinIsTerminal || !context.err.isTerminal || wantsJson(input)) {
    throw usageError(
      `deleting ${what} needs a yes`,
      `\`loopwright task delete ${task.id} --yes\` does not ask`,
    );
  }
  const { confirm, isCancel } = await import('@clack/prompts');
  const answer = await confirm({ message: `Delete ${what}?`, initialValue: false });
  return !isCancel(answer) && answer;
}

/** Worktrees, files and branches; in place the files and the branch are the user's own. */
async function removeLoops(engine: Engine, loops: readonly Loop[]): Promise<readonly GoneBranch[]> {
  const remove = (signal: AbortSignal) => removeEach(engine, loops, signal);
  return withoutLimit(engine, 'removing the worktrees', remove);
}

async function removeEach(
  engine: Engine,
  loops: readonly Loop[],
  signal: AbortSignal,
): Promise<readonly GoneBranch[]> {
  const gone: GoneBranch[] = [];
  for (const loop of loops) {
    await engine.artifacts.remove(loop.id);
    const { mode, branch } = loop.workspace;
    if (mode !== 'worktree') continue;
    await engine.project.removeWorkspace({ ...workspaceSpec(loop), pool: 0 }, signal);
    if (branch === null) continue;
    const head = await engine.project.resolve(`refs/heads/${branch}`, signal);
    // Also without a branch: what keeps the commits of a merged loop goes too.
    await engine.project.deleteBranch(branch, signal);
    if (head !== null) gone.push({ branch, head });
  }
  return gone;
}

function tell(
  { task, below, loops }: Doomed,
  branches: readonly GoneBranch[],
  input: CommandInput,
  { out }: CliContext,
): void {
  if (wantsJson(input)) {
    const deleted = [task, ...below].map(({ id }) => id);
    out.write(`${JSON.stringify({ deleted, loops: loops.map(({ id }) => id), branches })}\n`);
    return;
  }
  const parts = below.length === 0 ? '' : ` and ${plural(below.length, 'part')}`;
  out.write(`Deleted ${task.id}  ${plainText(task.title)}${parts}\n`);
  for (const { branch, head } of branches) {
    out.write(`its branch can be made again: git branch ${branch} ${head}\n`);
  }
}

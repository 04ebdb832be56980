import type { Task } from '../../core/task/task.ts';
import { plainText } from '../../core/text/terminal.ts';
import type { StoreTx } from '../../ports/store.ts';
import type { Command, CommandInput } from '../command.ts';
import type { CliContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { repeatedOption, requiredArgument, usageError, wantsJson } from '../input.ts';
import { createPaint, type Paint } from '../render/paint.ts';
import { taskArgument, taskMarks, taskReference, taskStyle } from './task-view.ts';

export const taskDeps: Command = {
  path: ['task', 'deps'],
  summary: 'Show or change what a task comes after.',
  details:
    'A dependency that would make tasks wait for each other is refused, and the cycle is shown.',
  args: [taskArgument],
  options: [
    {
      name: 'add',
      value: 'TASK',
      summary: 'A task that must be done first.',
      repeatable: true,
      completes: 'tasks',
    },
    {
      name: 'remove',
      value: 'TASK',
      summary: 'It no longer has to wait for this one.',
      repeatable: true,
      completes: 'tasks',
    },
  ],
  examples: [
    { line: 'loopwright task deps release-notes', does: 'Shows both directions.' },
    {
      line: 'loopwright task deps release-notes --add parser',
      does: 'Release notes come after the parser.',
    },
  ],
  run: runTaskDeps,
};

type Deps = {
  readonly task: Task;
  readonly dependencies: readonly Task[];
  readonly dependents: readonly Task[];
};

async function runTaskDeps(input: CommandInput, context: CliContext): Promise<number> {
  const add = repeatedOption(input, 'add');
  const remove = repeatedOption(input, 'remove');
  const reference = requiredArgument(input, 'TASK');
  await using opened = await context.open();
  const { store, clock } = opened.engine;
  const isChange = add.length + remove.length > 0;
  const deps = isChange
    ? await store.write((tx) => changeDeps(tx, reference, add, remove, clock.now()))
    : await store.read((tx) => readDeps(tx, reference));
  context.out.write(
    wantsJson(input)
      ? `${JSON.stringify(toJson(deps))}\n`
      : render(deps, createPaint(context.out.hasColour)),
  );
  return exitCodes.ok;
}

/** Removals come first, so that one command can turn a dependency round. */
async function changeDeps(
  tx: StoreTx,
  reference: string,
  add: readonly string[],
  remove: readonly string[],
  now: number,
): Promise<Deps> {
  const task = await tx.tasks.resolve(reference);
  const before = new Set((await tx.tasks.dependenciesOf(task.id)).map(({ id }) => id));
  for (const each of remove) {
    const other = await tx.tasks.resolve(each);
    if (!before.has(other.id)) {
      throw usageError(
        `task ${task.id} “${task.title}” does not come after ${other.id} “${other.title}”`,
        `see \`loopwright task deps ${task.id}\``,
      );
    }
    await tx.tasks.removeDependency(task.id, other.id, now);
  }
  for (const each of add)
    await tx.tasks.addDependency(task.id, (await tx.tasks.resolve(each)).id, now);
  return readDeps(tx, task.id);
}

async function readDeps(tx: StoreTx, reference: string): Promise<Deps> {
  const task = await tx.tasks.resolve(reference);
  return {
    task,
    dependencies: await tx.tasks.dependenciesOf(task.id),
    dependents: await tx.tasks.dependentsOf(task.id),
  };
}

function toJson({ task, dependencies, dependents }: Deps) {
  return {
    ...taskReference(task),
    blockers: task.blockers,
    dependencies: dependencies.map(taskReference),
    dependents: dependents.map(taskReference),
  };
}

function render({ task, dependencies, dependents }: Deps, paint: Paint): string {
  const lines = (tasks: readonly Task[], none: string): readonly string[] =>
    tasks.length === 0
      ? [`  ${paint('dim', none)}`]
      : tasks.map(
          ({ id, title, status }) =>
            `  ${paint(taskStyle(status), taskMarks[status])} ${id}  ${plainText(title)} ${paint('dim', `(${status})`)}`,
        );
  return [
    `${paint('bold', task.id)}  ${plainText(task.title)}`,
    'comes after:',
    ...lines(dependencies, 'nothing'),
    'others wait for it:',
    ...lines(dependents, 'nobody'),
    '',
  ].join('\n');
}

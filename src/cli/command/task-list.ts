import { isReady } from '../../core/graph/ready.ts';
import { taskStatuses, type Task } from '../../core/task/task.ts';
import { plainText } from '../../core/text/terminal.ts';
import type { Command, CommandInput } from '../command.ts';
import type { CliContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { isGiven, option, repeatedOption, usageError, wantsJson } from '../input.ts';
import { plural } from '../render/format.ts';
import { createPaint } from '../render/paint.ts';
import { renderTable, type Cell } from '../render/table.ts';
import { taskJson, taskStyle } from './task-view.ts';

export const taskList: Command = {
  path: ['task', 'list'],
  summary: 'List tasks with status, priority and what they wait for.',
  options: [
    {
      name: 'status',
      value: 'STATUS',
      summary: 'Only these.',
      choices: taskStatuses,
      repeatable: true,
    },
    { name: 'ready', summary: 'Only what could be started now, in the order it would be.' },
    {
      name: 'parent',
      value: 'TASK',
      summary: 'Only the direct parts of this task.',
      completes: 'tasks',
    },
  ],
  examples: [
    { line: 'loopwright task list', does: 'Lists every task, oldest first.' },
    {
      line: 'loopwright task list --status failed --status blocked',
      does: 'Lists what needs you.',
    },
    {
      line: 'loopwright task list --ready --json',
      does: 'Lists what could be started now, for programs.',
    },
  ],
  run: runTaskList,
};

const maxReady = 100_000;

async function runTaskList(input: CommandInput, context: CliContext): Promise<number> {
  const statuses = readStatuses(input);
  await using opened = await context.open({ onlyReads: true });
  const { tasks, total } = await opened.engine.store.read(async (tx) => {
    const parent = option(input, 'parent');
    const parentId = parent === null ? null : (await tx.tasks.resolve(parent)).id;
    const found = isGiven(input, 'ready')
      ? await tx.tasks.ready(maxReady)
      : await tx.tasks.list(parentId === null ? {} : { parentId });
    const counts = await tx.tasks.counts();
    return { tasks: found, total: taskStatuses.reduce((sum, status) => sum + counts[status], 0) };
  });
  const shown =
    statuses.length === 0 ? tasks : tasks.filter(({ status }) => statuses.includes(status));
  const text = wantsJson(input)
    ? `${JSON.stringify({ tasks: shown.map(taskJson) })}\n`
    : renderList(shown, total, context);
  context.out.write(text);
  return exitCodes.ok;
}

function readStatuses(input: CommandInput): readonly string[] {
  const asked = repeatedOption(input, 'status');
  const unknown = asked.find((word) => !taskStatuses.some((status) => status === word));
  if (unknown === undefined) return asked;
  throw usageError(
    `there is no status “${unknown}”`,
    `a task is one of: ${taskStatuses.join(', ')}`,
  );
}

function renderList(tasks: readonly Task[], total: number, { out }: CliContext): string {
  if (total === 0) {
    return 'There are no tasks yet.\nAdd one with `loopwright task add "TITLE"`, or import a list with `loopwright task import plan.md`.\n';
  }
  if (tasks.length === 0) return `None of the ${plural(total, 'task')} is like that.\n`;
  const paint = createPaint(out.hasColour);
  const columns = [
    { heading: 'ID' },
    { heading: 'STATUS' },
    { heading: 'PRIORITY' },
    { heading: 'BLOCKERS' },
    { heading: 'TITLE', flexible: true },
  ];
  const width = out.isTerminal ? out.columns : Infinity;
  return `${renderTable(columns, tasks.map(row), width, paint)}\n${paint('dim', countLine(tasks))}\n`;
}

function row(task: Task): readonly Cell[] {
  const parts =
    task.children === 0 ? '' : ` (${task.children - task.openChildren}/${task.children} done)`;
  return [
    task.id,
    { text: task.status, style: taskStyle(task.status) },
    task.priority,
    blockersOf(task),
    `${plainText(task.title)}${parts}`,
  ];
}

function blockersOf(task: Task): string {
  if (task.blockers > 0) return String(task.blockers);
  return task.held > 0 ? 'held' : '–';
}

/** `7 tasks: 2 ready, 3 pending, 2 done`. */
function countLine(tasks: readonly Task[]): string {
  const ready = tasks.filter(isReady).length;
  const parts = taskStatuses.flatMap((status) => {
    const count = tasks.filter((task) => task.status === status).length;
    if (count === 0) return [];
    return [status === 'pending' ? `${count} pending (${ready} ready)` : `${count} ${status}`];
  });
  return `${plural(tasks.length, 'task')}: ${parts.join(', ')}`;
}

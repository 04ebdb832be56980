import { acceptanceCriteria } from '../../core/task/acceptance.ts';
import type { Task } from '../../core/task/task.ts';
import { isReady } from '../../core/graph/ready.ts';
import { plainText } from '../../core/text/terminal.ts';
import type { LoopRow, StoreTx } from '../../ports/store.ts';
import { loopLine } from '../../protocol/loop-line.ts';
import { isoTime } from '../../protocol/value.ts';
import type { Command, CommandInput } from '../command.ts';
import type { CliContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { requiredArgument, wantsJson } from '../input.ts';
import { formatAge, formatCost, formatTime, plural } from '../render/format.ts';
import { createPaint, type Paint } from '../render/paint.ts';
import { statusStyle, statusText } from '../render/status-word.ts';
import { wrap } from '../render/wrap.ts';
import {
  taskArgument,
  taskJson,
  taskMarks,
  taskReference,
  taskStyle,
  whyWaiting,
} from './task-view.ts';

export const taskShow: Command = {
  path: ['task', 'show'],
  summary: 'Show everything about one task: text, dependencies, loops, log.',
  args: [taskArgument],
  examples: [
    {
      line: 'loopwright task show t-1a2b3c4d',
      does: 'Shows a task by its id; the beginning is enough.',
    },
    { line: 'loopwright task show support-toml', does: 'Shows a task by its title.' },
  ],
  run: runTaskShow,
};

type Details = {
  readonly task: Task;
  readonly parent: Task | null;
  readonly children: readonly Task[];
  readonly dependencies: readonly Task[];
  readonly dependents: readonly Task[];
  readonly loops: readonly LoopRow[];
  readonly log: Awaited<ReturnType<StoreTx['tasks']['log']>>;
};

async function runTaskShow(input: CommandInput, context: CliContext): Promise<number> {
  await using opened = await context.open({ onlyReads: true });
  const details = await opened.engine.store.read((tx) =>
    collect(tx, requiredArgument(input, 'TASK')),
  );
  const text = wantsJson(input) ? `${JSON.stringify(toJson(details))}\n` : render(details, context);
  context.out.write(text);
  return exitCodes.ok;
}

async function collect(tx: StoreTx, reference: string): Promise<Details> {
  const task = await tx.tasks.resolve(reference);
  return {
    task,
    parent: task.parentId === null ? null : await tx.tasks.get(task.parentId),
    children: await tx.tasks.childrenOf(task.id),
    dependencies: await tx.tasks.dependenciesOf(task.id),
    dependents: await tx.tasks.dependentsOf(task.id),
    loops: await tx.loops.list({ taskId: task.id }),
    log: await tx.tasks.log(task.id),
  };
}

function toJson({ task, parent, children, dependencies, dependents, loops, log }: Details) {
  return {
    ...taskJson(task),
    parent: parent === null ? null : taskReference(parent),
    childTasks: children.map(taskReference),
    dependencies: dependencies.map(taskReference),
    dependents: dependents.map(taskReference),
    loops: loops.map(loopLine),
    log: log.map(({ time, type, text }) => ({ time: isoTime(time), type, text })),
  };
}

function render(details: Details, { out, clock }: CliContext): string {
  const paint = createPaint(out.hasColour);
  const { task } = details;
  const width = Math.min(out.columns, 100);
  const sections = [
    headingText(task, paint, width),
    fieldRows(details, clock.now(), paint, width),
    descriptionText(task),
    criteriaText(task, paint, width),
    relativesText('Parts', details.children, paint, width),
    relativesText('Comes after', details.dependencies, paint, width),
    relativesText('Others wait for it', details.dependents, paint, width),
    guidanceText(task, width),
    loopsText(details.loops, clock.now(), paint),
    logText(details.log, paint, width),
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

function headingText(task: Task, paint: Paint, width: number): string {
  const status = paint(
    taskStyle(task.status),
    task.status === 'pending' && isReady(task) ? 'pending, ready' : task.status,
  );
  return `${paint('bold', wrap(plainText(task.title), width, ''))}\n${task.id}  ${status}`;
}

function fieldRows({ task, parent }: Details, now: number, paint: Paint, width: number): string {
  const why = whyWaiting(task);
  const rows: readonly (readonly [string, string | null])[] = [
    ['why', why],
    ['priority', task.priority],
    ['part of', parent === null ? null : `${parent.id} ${parent.title}`],
    ['loop type', task.type],
    ['validation', task.validation],
    ['retries', task.maxRetries === 0 ? null : `${task.retries} of ${task.maxRetries}`],
    ['result', task.summary],
    ['created', `${formatTime(task.createdAt)} UTC (${formatAge(now - task.createdAt)})`],
    [
      'changed',
      task.updatedAt === task.createdAt
        ? null
        : `${formatTime(task.updatedAt)} UTC (${formatAge(now - task.updatedAt)})`,
    ],
  ];
  return rows
    .flatMap(([label, value]) => {
      if (value === null) return [];
      const start = `  ${label.padEnd(12)}`;
      const body = wrap(plainText(value), width, start, ' '.repeat(start.length));
      return [`${paint('dim', start)}${body.slice(start.length)}`];
    })
    .join('\n');
}

function descriptionText({ description }: Task): string {
  const text = plainText(description).trim();
  return text === '' ? '' : `Description\n${text.replaceAll(/^(?=.)/gm, '  ')}`;
}

function criteriaText({ description }: Task, paint: Paint, width: number): string {
  const found = acceptanceCriteria(description);
  if (found.length === 0) return '';
  const met = found.filter(({ checked }) => checked).length;
  const lines = found.map(({ text, checked }) => {
    const mark = checked ? paint('green', '✓') : '○';
    return `  ${mark} ${wrap(plainText(text), width - 4, '', '    ')}`;
  });
  return [`Acceptance criteria (${met} of ${found.length} ticked)`, ...lines].join('\n');
}

const maxShown = 20;

function relativesText(title: string, tasks: readonly Task[], paint: Paint, width: number): string {
  if (tasks.length === 0) return '';
  const lines = tasks.slice(0, maxShown).map((task) => {
    const mark = paint(taskStyle(task.status), taskMarks[task.status]);
    const text = wrap(
      `${task.id} ${plainText(task.title)} (${task.status})`,
      width - 4,
      '',
      '    ',
    );
    return `  ${mark} ${text}`;
  });
  const more = tasks.length > maxShown ? [`  and ${tasks.length - maxShown} more`] : [];
  return [title, ...lines, ...more].join('\n');
}

function guidanceText(task: Task, width: number): string {
  if (task.guidance.length === 0) return '';
  const lines = task.guidance.map(({ time, text }) =>
    wrap(`${formatTime(time)}  ${plainText(text)}`, width, '  ', '    '),
  );
  return ['Guidance', ...lines].join('\n');
}

function loopsText(rows: readonly LoopRow[], now: number, paint: Paint): string {
  if (rows.length === 0) return '';
  const lines = rows.map((row) => {
    const status = paint(statusStyle(row.status), statusText(row.status, row.reason));
    const cost = row.costUsd === null ? '' : `, ${formatCost(row.costUsd)}`;
    return `  ${row.id}  ${status}, ${plural(row.iterations, 'iteration')}${cost}, ${formatAge(now - row.updatedAt)}`;
  });
  return ['Loops', ...lines].join('\n');
}

function logText(entries: Details['log'], paint: Paint, width: number): string {
  if (entries.length === 0) return '';
  const shown = entries.slice(-maxShown);
  const before = entries.length - shown.length;
  const lines = shown.map(({ time, type, text }) => {
    const stamp = formatTime(time);
    const body = wrap(
      plainText(`${type} ${text}`),
      width,
      `  ${stamp}  `,
      ' '.repeat(stamp.length + 4),
    );
    return `  ${paint('dim', stamp)}  ${body.slice(stamp.length + 4)}`;
  });
  return ['Log', ...(before > 0 ? [`  ${before} earlier entries`] : []), ...lines].join('\n');
}

import type { Edge } from '../../core/graph/cycle.ts';
import { holdsDescendants } from '../../core/graph/cascade.ts';
import { isReady } from '../../core/graph/ready.ts';
import type { Task } from '../../core/task/task.ts';
import { plainText } from '../../core/text/terminal.ts';
import type { Command, CommandInput } from '../command.ts';
import type { CliContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { wantsJson } from '../input.ts';
import { formatAge, plural } from '../render/format.ts';
import { createPaint, type Paint } from '../render/paint.ts';
import { wrap } from '../render/wrap.ts';
import { taskJson, taskMarks, taskReference, taskStyle } from './task-view.ts';

export const taskNext: Command = {
  path: ['task', 'next'],
  summary: 'Show which task would be started next, and why others wait.',
  details:
    'Ready tasks go by the time they have been ready, with a head start for priority: critical an hour, high 40 minutes, normal 20.',
  examples: [
    { line: 'loopwright task next', does: 'Shows what `loopwright run` would take first.' },
  ],
  run: runTaskNext,
};

const maxThen = 5;
const maxWaiting = 10;

type Waiting = { readonly task: Task; readonly why: string; readonly waitsFor: readonly Task[] };

type Outlook = {
  readonly next: Task | null;
  readonly then: readonly Task[];
  readonly ready: number;
  readonly waiting: readonly Waiting[];
};

async function runTaskNext(input: CommandInput, context: CliContext): Promise<number> {
  await using opened = await context.open({ onlyReads: true });
  const outlook = await opened.engine.store.read(async (tx) => {
    const [next = null, ...then] = await tx.tasks.ready(maxThen + 1);
    const tasks = await tx.tasks.list({});
    const { ready } = await tx.tasks.counts();
    return { next, then, ready, waiting: explain(tasks, await tx.tasks.edges()) };
  });
  const text = wantsJson(input) ? `${JSON.stringify(toJson(outlook))}\n` : render(outlook, context);
  context.out.write(text);
  return exitCodes.ok;
}

/** Every open leaf that cannot be started now, with what is in its way. Parents wait for their parts as a matter of course. */
function explain(tasks: readonly Task[], edges: readonly Edge[]): readonly Waiting[] {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const needs = Map.groupBy(edges, ({ taskId }) => taskId);
  return tasks.flatMap((task): Waiting[] => {
    if (task.openChildren > 0 && task.status === 'pending') return [];
    const open = (needs.get(task.id) ?? [])
      .flatMap(({ dependsOn }) => byId.get(dependsOn) ?? [])
      .filter(({ status }) => status !== 'done');
    const why = reasonOf(task, open, byId);
    return why === null ? [] : [{ task, why, waitsFor: open }];
  });
}

function reasonOf(
  task: Task,
  open: readonly Task[],
  byId: ReadonlyMap<string, Task>,
): string | null {
  switch (task.status) {
    case 'done':
    case 'cancelled':
      return null;
    case 'running':
      return 'is being worked on';
    case 'draft':
      return `is a draft: \`loopwright task edit ${task.id} --ready\``;
    case 'paused':
      return `is paused: \`loopwright run ${task.id}\` goes on`;
    case 'failed':
    case 'blocked':
      return `${task.status}${task.reason === null ? '' : ` (${task.reason})`}: \`loopwright task reset ${task.id}\` opens it again`;
    case 'pending':
      return isReady(task) ? null : pendingReason(task, open, byId);
  }
}

function pendingReason(task: Task, open: readonly Task[], byId: ReadonlyMap<string, Task>): string {
  if (open.length > 0)
    return `waits for ${open.slice(0, 3).map(named).join(', ')}${open.length > 3 ? ` and ${open.length - 3} more` : ''}`;
  const holder = holderOf(task, byId);
  return holder === null ? 'waits' : `${named(holder)} above it is ${holder.status}`;
}

/** The nearest ancestor that lets nobody start below it. */
function holderOf(task: Task, byId: ReadonlyMap<string, Task>): Task | null {
  let current = task.parentId;
  for (let steps = 0; current !== null && steps < byId.size; steps++) {
    const above = byId.get(current);
    if (above === undefined) return null;
    if (holdsDescendants(above.status)) return above;
    current = above.parentId;
  }
  return null;
}

function named({ id, title }: Task): string {
  return `${id} “${plainText(title)}”`;
}

function toJson({ next, then, ready, waiting }: Outlook) {
  return {
    next: next === null ? null : taskJson(next),
    then: then.map(taskReference),
    ready,
    waiting: waiting.map(({ task, why, waitsFor }) => ({
      ...taskReference(task),
      why,
      waitsFor: waitsFor.map(taskReference),
    })),
  };
}

function render({ next, then, ready, waiting }: Outlook, { out, clock }: CliContext): string {
  const paint = createPaint(out.hasColour);
  const width = Math.min(out.columns, 100);
  const parts = [next === null ? nothing(waiting) : first(next, clock.now(), paint, width)];
  if (then.length > 0) {
    const more = ready - 1 - then.length;
    const lines = then.map((task) =>
      wrap(`${task.id}  ${plainText(task.title)}`, width, '  ', ' '.repeat(14)),
    );
    parts.push(['Then:', ...lines, ...(more > 0 ? [`  and ${more} more`] : [])].join('\n'));
  }
  if (waiting.length > 0) {
    const lines = waiting
      .slice(0, maxWaiting)
      .map(({ task, why }) => waitingLine(task, why, paint, width));
    const more = waiting.length - lines.length;
    parts.push(
      [
        'Not now:',
        ...lines,
        ...(more > 0 ? [`  and ${more} more: \`loopwright task list\``] : []),
      ].join('\n'),
    );
  }
  if (next !== null) parts.push(`${paint('dim', 'next:')}  loopwright run --limit 1`);
  return `${parts.join('\n\n')}\n`;
}

function first(task: Task, now: number, paint: Paint, width: number): string {
  const waited =
    task.readySince === null ? '' : `, became ready ${formatAge(now - task.readySince)}`;
  const own = task.validation === null ? '' : `, proven by \`${plainText(task.validation)}\``;
  const what = task.children > 0 ? ', all its parts are done and its own check remains' : '';
  return [
    `${paint('bold', task.id)}  ${paint('bold', plainText(task.title))}`,
    wrap(`${task.priority} priority${waited}${own}${what}`, width, '  '),
  ].join('\n');
}

function nothing(waiting: readonly Waiting[]): string {
  if (waiting.length === 0)
    return 'Nothing is left to do. Add a task with `loopwright task add "TITLE"`.';
  return `No task can be started now; ${plural(waiting.length, 'task')} ${waiting.length === 1 ? 'is' : 'are'} open.`;
}

function waitingLine(task: Task, why: string, paint: Paint, width: number): string {
  const mark = paint(taskStyle(task.status), taskMarks[task.status]);
  const text = wrap(plainText(`${task.id}  ${task.title}: ${why}`), width - 4, '', ' '.repeat(4));
  return `  ${mark} ${text}`;
}

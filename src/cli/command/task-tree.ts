import type { Edge } from '../../core/graph/cycle.ts';
import { isReady } from '../../core/graph/ready.ts';
import type { Task } from '../../core/task/task.ts';
import { plainText } from '../../core/text/terminal.ts';
import type { Command, CommandInput } from '../command.ts';
import type { CliContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { argument, wantsJson } from '../input.ts';
import { createPaint, type Paint } from '../render/paint.ts';
import { cutToWidth, textWidth } from '../render/width.ts';
import { taskArgument, taskMarks, taskReference, taskStyle, whyWaiting } from './task-view.ts';

export const taskTree: Command = {
  path: ['task', 'tree'],
  summary: 'Show tasks as a tree with their status.',
  args: [{ ...taskArgument, summary: 'Only this task and what it is made of.', required: false }],
  examples: [
    { line: 'loopwright task tree', does: 'Shows every task.' },
    { line: 'loopwright task tree parser', does: 'Shows one task with its parts.' },
  ],
  run: runTaskTree,
};

type Node = {
  readonly task: Task;
  readonly depth: number;
  /** For each level that is drawn, whether another task follows on it. */
  readonly follows: readonly boolean[];
};

async function runTaskTree(input: CommandInput, context: CliContext): Promise<number> {
  const reference = argument(input, 'TASK');
  await using opened = await context.open({ onlyReads: true });
  const { tasks, edges, root } = await opened.engine.store.read(async (tx) => ({
    root: reference === null ? null : await tx.tasks.resolve(reference),
    tasks: await tx.tasks.list({}),
    edges: await tx.tasks.edges(),
  }));
  if (wantsJson(input)) {
    context.out.write(`${JSON.stringify({ tasks: toJson(walk(tasks, root), edges) })}\n`);
    return exitCodes.ok;
  }
  if (tasks.length === 0) {
    context.out.write('There are no tasks yet.\nAdd one with `loopwright task add "TITLE"`.\n');
    return exitCodes.ok;
  }
  const paint = createPaint(context.out.hasColour);
  const width = context.out.isTerminal ? context.out.columns : Infinity;
  const lines = walk(tasks, root).map((node) => renderNode(node, width, paint));
  context.out.write(`${lines.join('\n')}\n\n${paint('dim', legend(tasks))}\n`);
  return exitCodes.ok;
}

/** Parents before their children, without recursion: a tree may be as deep as it has tasks. */
function walk(tasks: readonly Task[], root: Task | null): readonly Node[] {
  const children = Map.groupBy(tasks, ({ parentId }) => parentId);
  const nodes: Node[] = [];
  const waiting: Node[] =
    root === null ? below(children.get(null)) : [{ task: root, depth: 0, follows: [false] }];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    nodes.push(node);
    waiting.push(...below(children.get(node.task.id), node));
  }
  return nodes;
}

/** What is deeper than this is drawn at this depth. */
const maxDrawn = 24;

function below(tasks: readonly Task[] = [], parent?: Node): Node[] {
  const above = parent?.follows ?? [];
  const kept = above.length >= maxDrawn ? above.slice(1) : above;
  const depth = parent === undefined ? 0 : parent.depth + 1;
  return tasks
    .map((task, index) => ({ task, depth, follows: [...kept, index < tasks.length - 1] }))
    .toReversed();
}

function renderNode({ task, follows }: Node, width: number, paint: Paint): string {
  const guides = follows
    .slice(1)
    .map((more, index, all) => {
      if (index === all.length - 1) return more ? '├─ ' : '└─ ';
      return more ? '│  ' : '   ';
    })
    .join('');
  const note = noteOf(task);
  const end = note === '' ? '' : `  (${note})`;
  // Every mark and guide is one column wide; a mark, two gaps and the id stand beside the title.
  const used = guides.length + 2 + 2 + task.id.length;
  const room = width === Infinity ? Infinity : Math.max(8, width - used - textWidth(end));
  const title = room === Infinity ? plainText(task.title) : cutToWidth(plainText(task.title), room);
  const mark = paint(taskStyle(task.status), taskMarks[task.status]);
  const shown =
    task.status === 'cancelled' || task.status === 'draft' ? paint('dim', title) : title;
  return `${paint('dim', guides)}${mark} ${shown}  ${paint('dim', `${task.id}${end}`)}`;
}

function noteOf(task: Task): string {
  if (task.status === 'pending') return isReady(task) ? 'ready' : (whyWaiting(task) ?? 'pending');
  return task.status;
}

function legend(tasks: readonly Task[]): string {
  const present = new Set(tasks.map(({ status }) => status));
  return [...present].map((status) => `${taskMarks[status]} ${status}`).join('  ');
}

/** In the order of the tree, flat: a tree may be deeper than programs nest. */
function toJson(nodes: readonly Node[], edges: readonly Edge[]) {
  const after = Map.groupBy(edges, ({ taskId }) => taskId);
  return nodes.map(({ task, depth }) => ({
    ...taskReference(task),
    parentId: task.parentId,
    depth,
    priority: task.priority,
    ready: isReady(task),
    after: (after.get(task.id) ?? []).map(({ dependsOn }) => dependsOn),
  }));
}

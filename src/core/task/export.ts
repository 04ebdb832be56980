import type { Edge } from '../graph/cycle.ts';
import { descriptionOf } from './import-plan.ts';
import { escapeLines, escapeTitle } from './markdown-escape.ts';
import { slugOf } from './slug.ts';
import type { Task } from './task.ts';

/** A checklist that `readMarkdown` reads back to the same tree, dependencies, descriptions and priorities. */
export function writeMarkdown(tasks: readonly Task[], edges: readonly Edge[]): string {
  const forest = new Forest(tasks, edges);
  return forest
    .walk()
    .map(({ task, depth }) => markdownItem(task, depth, forest))
    .join('');
}

function markdownItem(task: Task, depth: number, forest: Forest): string {
  const indent = '  '.repeat(depth);
  const after = forest.after(task.id).map((id) => forest.nameOf(id));
  const notes = [
    ...(task.priority === 'normal' ? [] : [`(priority: ${task.priority})`]),
    ...(after.length === 0 ? [] : [`(after: ${after.join(', ')})`]),
  ];
  const box = task.status === 'done' ? '[x]' : '[ ]';
  const head = [`${indent}- ${box} ${escapeTitle(task.title)}`, ...notes].join(' ');
  return `${[head, ...markdownText(task.description, `${indent}  `)].join('\n')}\n`;
}

function markdownText(description: string, indent: string): readonly string[] {
  const text = descriptionOf(description);
  if (text === '') return [];
  return escapeLines(text.split('\n')).map((line) => (line === '' ? '' : `${indent}${line}`));
}

export type PlainExport = {
  id: string;
  title: string;
  description?: string;
  status: string;
  priority?: string;
  type?: string;
  validation?: string;
  'max-retries'?: number;
  after?: string[];
  children?: PlainExport[];
};

/** The content of a JSON or YAML file that `readPlainTasks` reads back. Defaults are left out. */
export function toPlainTasks(
  tasks: readonly Task[],
  edges: readonly Edge[],
): { readonly tasks: readonly PlainExport[] } {
  const forest = new Forest(tasks, edges);
  const roots: PlainExport[] = [];
  const made = new Map<string, PlainExport>();
  for (const { task, depth } of forest.walk()) {
    const plain = plainTask(task, forest.after(task.id));
    made.set(task.id, plain);
    const parent = depth === 0 ? undefined : made.get(task.parentId ?? '');
    if (parent === undefined) roots.push(plain);
    else (parent.children ??= []).push(plain);
  }
  return { tasks: roots };
}

function plainTask(task: Task, after: readonly string[]): PlainExport {
  return {
    id: task.id,
    title: task.title,
    ...(task.description !== '' && { description: task.description }),
    status: task.status,
    ...(task.priority !== 'normal' && { priority: task.priority }),
    ...(task.type !== null && { type: task.type }),
    ...(task.validation !== null && { validation: task.validation }),
    ...(task.maxRetries > 0 && { 'max-retries': task.maxRetries }),
    ...(after.length > 0 && { after: [...after] }),
  };
}

/** The exported tasks as trees. A task whose parent is not exported is a root; edges to others are left out. */
class Forest {
  readonly #tasks: ReadonlyMap<string, Task>;
  readonly #after: ReadonlyMap<string, readonly Edge[]>;
  readonly #children: ReadonlyMap<string | null, readonly Task[]>;
  readonly #paths = new Map<string, string>();
  readonly #slugs = new Map<string, number>();
  readonly #ranks = new Map<string, number>();
  readonly #samePath = new Map<string, number>();

  constructor(tasks: readonly Task[], edges: readonly Edge[]) {
    this.#tasks = new Map(tasks.map((task) => [task.id, task]));
    this.#after = Map.groupBy(
      edges.filter((edge) => this.#tasks.has(edge.dependsOn)),
      (edge) => edge.taskId,
    );
    this.#children = Map.groupBy(tasks, (task) => this.#parentOf(task));
    for (const { task } of this.walk()) {
      const slug = slugOf(task.title);
      const above = this.#paths.get(task.parentId ?? '');
      const path = above === undefined ? slug : `${above}/${slug}`;
      const rank = (this.#samePath.get(path) ?? 0) + 1;
      this.#paths.set(task.id, path);
      this.#samePath.set(path, rank);
      this.#ranks.set(task.id, rank);
      this.#slugs.set(slug, (this.#slugs.get(slug) ?? 0) + 1);
    }
  }

  /** Parents before children, siblings in the given order. */
  walk(): readonly { readonly task: Task; readonly depth: number }[] {
    const order: { readonly task: Task; readonly depth: number }[] = [];
    const waiting = this.#below(null, 0);
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      order.push(next);
      waiting.push(...this.#below(next.task.id, next.depth + 1));
    }
    return order;
  }

  after(id: string): readonly string[] {
    return (this.#after.get(id) ?? []).map((edge) => edge.dependsOn);
  }

  /** The shortest name that only this task has in the file: slug, path of slugs, or path with its rank. */
  nameOf(id: string): string {
    const slug = slugOf(this.#tasks.get(id)?.title ?? '');
    if (slug !== '' && this.#slugs.get(slug) === 1) return slug;
    const path = this.#paths.get(id) ?? '';
    const isUnique = path.includes('/') && this.#samePath.get(path) === 1;
    return isUnique ? path : `${path}#${this.#ranks.get(id) ?? 1}`;
  }

  #below(id: string | null, depth: number): { readonly task: Task; readonly depth: number }[] {
    return (this.#children.get(id) ?? []).map((task) => ({ task, depth })).toReversed();
  }

  #parentOf(task: Task): string | null {
    return task.parentId !== null && this.#tasks.has(task.parentId) ? task.parentId : null;
  }
}

import { LoopwrightError } from '../error.ts';
import { slugOf, titleOf } from './slug.ts';
import type { Priority, TaskStatus } from './task.ts';

export type TaskFormat = 'markdown' | 'json' | 'yaml' | 'prd' | 'beads';

/** Fields a file may leave out; what is left out stays as it is on a later import. */
export type ImportFields = {
  readonly description?: string;
  readonly priority?: Priority;
  readonly type?: string | null;
  readonly validation?: string | null;
  readonly maxRetries?: number;
};

export type ImportStatus = 'draft' | 'pending' | 'done';

/** A task as a reader finds it. References are still as written. */
export type FoundTask = {
  /** The file's own name for it; null when it has none. */
  readonly name: string | null;
  readonly title: string;
  /** Index of the parent among the found tasks. */
  readonly parent: number | null;
  /** Names, slugs, paths of slugs, or paths with a rank (`a/b#2`); null when the file says nothing about dependencies. */
  readonly after: readonly string[] | null;
  readonly fields: ImportFields;
  readonly status: ImportStatus;
  /** Where it stands in the file, as shown in messages: `line 12`, `tasks[3]`. */
  readonly place: string;
};

export type ImportTask = {
  /** Unique within the plan. */
  readonly key: string;
  readonly title: string;
  readonly parent: string | null;
  /** Keys of this plan; null when the file says nothing about dependencies. */
  readonly after: readonly string[] | null;
  /** Dependencies that are not in the plan: to be found among the stored tasks. */
  readonly outside: readonly string[];
  readonly fields: ImportFields;
  readonly status: ImportStatus;
  readonly place: string;
};

/** What a file asks for. Parents come before their children, otherwise in the order of the file. */
export type ImportPlan = { readonly format: TaskFormat; readonly tasks: readonly ImportTask[] };

export function importError(place: string, message: string, hint?: string): LoopwrightError {
  return new LoopwrightError('task.import', `${place}: ${message}`, {
    hint: hint ?? 'Nothing was imported. Correct the file and try again.',
    details: { place },
  });
}

/** Checks titles and parents, and finds what each reference means within the file. */
export function buildPlan(format: TaskFormat, found: readonly FoundTask[]): ImportPlan {
  const titled = found.map((task) => ({ ...task, title: checkedTitle(task) }));
  const order = parentsFirst(titled);
  const names = new Names(titled);
  const tasks = order.flatMap((index) => {
    const task = titled[index];
    return task === undefined ? [] : [planned(task, index, names)];
  });
  return { format, tasks };
}

function checkedTitle(task: FoundTask): string {
  const title = titleOf(task.title);
  if (title === '') throw importError(task.place, 'a task needs a title');
  return title;
}

function planned(task: FoundTask, index: number, names: Names): ImportTask {
  const after: string[] = [];
  const outside: string[] = [];
  for (const reference of task.after ?? []) {
    const target = names.find(reference, index);
    if (target === null) outside.push(reference);
    else after.push(keyOf(target));
  }
  return {
    key: keyOf(index),
    title: task.title,
    parent: task.parent === null ? null : keyOf(task.parent),
    after: task.after === null ? null : [...new Set(after)],
    outside: [...new Set(outside)],
    fields: task.fields,
    status: task.status,
    place: task.place,
  };
}

function keyOf(index: number): string {
  return `#${index + 1}`;
}

function parentsFirst(found: readonly FoundTask[]): readonly number[] {
  const order: number[] = [];
  const placed = new Set<number>();
  for (let index = 0; index < found.length; index += 1) {
    const line: number[] = [];
    let current: number | null = index;
    while (current !== null && !placed.has(current)) {
      const task: FoundTask | undefined = found[current];
      if (task === undefined) break;
      if (line.length > found.length)
        throw importError(task.place, `“${task.title}” is its own ancestor`);
      line.push(current);
      current = task.parent;
    }
    for (const next of line.toReversed()) {
      order.push(next);
      placed.add(next);
    }
  }
  return order;
}

/** What the references of one file mean: its own names, else paths of slugs, else slugs, of which siblings first. */
class Names {
  readonly #found: readonly FoundTask[];
  readonly #paths: readonly string[];
  readonly #byName = new Map<string, number[]>();
  readonly #byPath = new Map<string, number[]>();
  readonly #bySlug = new Map<string, number[]>();

  constructor(found: readonly FoundTask[]) {
    this.#found = found;
    this.#paths = slugPaths(found);
    for (const [index, task] of found.entries()) {
      if (task.name !== null) append(this.#byName, task.name, index);
      append(this.#byPath, this.#paths[index] ?? '', index);
      append(this.#bySlug, slugOf(task.title), index);
    }
  }

  /** Null when nothing in the file is called so. */
  find(reference: string, from: number): number | null {
    const named = this.#byName.get(reference) ?? [];
    if (named.length > 0) return this.#only(named, reference, from);
    const counted = this.#counted(reference);
    if (counted !== null) return counted;
    const path = slugPath(reference);
    const placed = path.includes('/') ? (this.#byPath.get(path) ?? []) : [];
    if (placed.length > 0) return this.#only(placed, reference, from);
    const slug = slugOf(reference);
    const same = slug === '' ? [] : (this.#bySlug.get(slug) ?? []);
    const parent = this.#found[from]?.parent;
    const siblings = same.filter(
      (index) => index !== from && this.#found[index]?.parent === parent,
    );
    return this.#only(siblings.length > 0 ? siblings : same, reference, from);
  }

  /** `path#2` is the second task of that path. */
  #counted(reference: string): number | null {
    const match = /^(.*)#(\d{1,9})$/.exec(reference);
    if (match === null) return null;
    const [, path = '', rank = ''] = match;
    return this.#byPath.get(slugPath(path))?.[Number(rank) - 1] ?? null;
  }

  #only(indexes: readonly number[], reference: string, from: number): number | null {
    const [first, second] = indexes;
    if (first === undefined) return null;
    if (second === undefined) return first;
    const place = this.#found[from]?.place ?? '';
    const choices = indexes
      .slice(0, 5)
      .map((index) => `${this.#paths[index] ?? ''} (${this.#found[index]?.place ?? ''})`);
    throw importError(
      place,
      `“${reference}” may mean ${indexes.length} tasks: ${choices.join(', ')}`,
      'Write the whole path, such as parent/child, and #2 after it for the second of that path.',
    );
  }
}

function slugPath(reference: string): string {
  return reference.split('/').map(slugOf).join('/');
}

function slugPaths(found: readonly FoundTask[]): readonly string[] {
  const paths: string[] = [];
  for (const index of parentsFirst(found)) {
    const task = found[index];
    if (task === undefined) continue;
    const slug = slugOf(task.title);
    paths[index] = task.parent === null ? slug : `${paths[task.parent] ?? ''}/${slug}`;
  }
  return paths;
}

function append(map: Map<string, number[]>, key: string, value: number): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

/** The status a file's task starts with: what was running or stuck elsewhere starts anew here. */
export function importStatus(status: TaskStatus): ImportStatus {
  if (status === 'done' || status === 'draft') return status;
  return status === 'cancelled' ? 'draft' : 'pending';
}

/** Descriptions without blank edges, with `\n` between lines. */
export function descriptionOf(text: string): string {
  const lines = text.split(/\r\n|\r|\n/).map((line) => (line.trim() === '' ? '' : line));
  const first = lines.findIndex((line) => line !== '');
  if (first === -1) return '';
  return lines.slice(first, lines.findLastIndex((line) => line !== '') + 1).join('\n');
}

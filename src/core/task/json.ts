import { z } from 'zod';
import { lazy } from '../lazy.ts';
import { buildPlan, importError, importStatus } from './import-plan.ts';
import type { FoundTask, ImportFields, ImportPlan, TaskFormat } from './import-plan.ts';
import { priorities, taskStatuses } from './task.ts';

const text = lazy(() => z.string());

/** A task in a JSON or YAML file. `id` is its name within the file; `children` nests, `parent` names. */
const PlainTask = lazy(() =>
  z.strictObject({
    id: text().optional(),
    title: text(),
    description: text().optional(),
    parent: text().nullish(),
    after: z.union([text(), z.array(text())]).optional(),
    priority: z.enum(priorities).optional(),
    type: text().nullish(),
    validation: text().nullish(),
    'max-retries': z.int().min(0).optional(),
    maxRetries: z.int().min(0).optional(),
    status: z.enum(taskStatuses).optional(),
    children: z.array(z.unknown()).optional(),
  }),
);
type PlainTask = z.infer<ReturnType<typeof PlainTask>>;

const PlainFile = lazy(() =>
  z.union([z.array(z.unknown()), z.strictObject({ tasks: z.array(z.unknown()) })]),
);

/** Reads the parsed content of a JSON or YAML file: `{ tasks: [...] }` or the list alone. */
export function readPlainTasks(content: unknown, format: TaskFormat): ImportPlan {
  const file = PlainFile().safeParse(content);
  if (!file.success) {
    throw importError(
      'the file',
      'it holds no list of tasks',
      'Write { "tasks": [ { "title": … } ] }.',
    );
  }
  const list = Array.isArray(file.data) ? file.data : file.data.tasks;
  return buildPlan(format, resolveParents(flatten(list)));
}

type Flat = { readonly task: PlainTask; readonly parent: number | null; readonly place: string };

/** Depth first, in the order of the file, without recursion: a hostile file nests as deep as it likes. */
function flatten(list: readonly unknown[]): readonly Flat[] {
  const flat: Flat[] = [];
  const waiting = placed(list, 'tasks', null);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const task = parseTask(next.value, next.place);
    flat.push({ task, parent: next.parent, place: next.place });
    waiting.push(...placed(task.children ?? [], `${next.place}.children`, flat.length - 1));
  }
  return flat;
}

type Waiting = { readonly value: unknown; readonly place: string; readonly parent: number | null };

function placed(list: readonly unknown[], place: string, parent: number | null): Waiting[] {
  return list.map((value, index) => ({ value, place: `${place}[${index}]`, parent })).toReversed();
}

function parseTask(value: unknown, place: string): PlainTask {
  const parsed = PlainTask().safeParse(value);
  if (parsed.success) return parsed.data;
  throw importError(place, z.prettifyError(parsed.error));
}

function resolveParents(flat: readonly Flat[]): readonly FoundTask[] {
  const byId = new Map<string, number>();
  for (const [index, { task, place }] of flat.entries()) {
    if (task.id === undefined) continue;
    if (byId.has(task.id)) throw importError(place, `the id “${task.id}” is used twice`);
    byId.set(task.id, index);
  }
  return flat.map((entry) => toFound(entry, byId));
}

function toFound({ task, parent, place }: Flat, byId: ReadonlyMap<string, number>): FoundTask {
  return {
    name: task.id ?? null,
    title: task.title,
    parent: parent ?? namedParent(task, byId, place),
    after: afterOf(task),
    fields: fieldsOf(task),
    status: importStatus(task.status ?? 'pending'),
    place,
  };
}

function namedParent(
  task: PlainTask,
  byId: ReadonlyMap<string, number>,
  place: string,
): number | null {
  if (task.parent === undefined || task.parent === null) return null;
  const index = byId.get(task.parent);
  if (index === undefined)
    throw importError(place, `no task in this file has the id “${task.parent}”`);
  return index;
}

function afterOf(task: PlainTask): readonly string[] | null {
  if (task.after === undefined) return null;
  return typeof task.after === 'string'
    ? task.after.split(',').map((part) => part.trim())
    : task.after;
}

function fieldsOf(task: PlainTask): ImportFields {
  const maxRetries = task['max-retries'] ?? task.maxRetries;
  return {
    ...(task.description !== undefined && { description: task.description }),
    ...(task.priority !== undefined && { priority: task.priority }),
    ...(task.type !== undefined && { type: task.type }),
    ...(task.validation !== undefined && { validation: task.validation }),
    ...(maxRetries !== undefined && { maxRetries }),
  };
}

import { assertNoCycle, sortByNeeds } from '../graph/cycle.ts';
import type { Edge, GraphNode } from '../graph/cycle.ts';
import { canTransition } from '../graph/transitions.ts';
import { descriptionOf, importError } from './import-plan.ts';
import type { ImportFields, ImportPlan, ImportTask } from './import-plan.ts';
import { matchesOf } from './resolve.ts';
import { slugOf } from './slug.ts';
import type { Task } from './task.ts';

/** A stored task, or one that an earlier operation of the same import adds. */
export type TaskRef =
  | { readonly kind: 'stored'; readonly id: string }
  | { readonly kind: 'new'; readonly key: string };

export type ImportOperation =
  | {
      readonly type: 'add';
      readonly key: string;
      readonly title: string;
      readonly parent: TaskRef | null;
      /** Dependencies that exist by then; others follow as `depend`. */
      readonly after: readonly TaskRef[];
      readonly fields: ImportFields;
      readonly status: 'draft' | 'pending';
    }
  | { readonly type: 'edit'; readonly id: string; readonly fields: ImportFields }
  | { readonly type: 'depend'; readonly task: TaskRef; readonly after: readonly TaskRef[] }
  | { readonly type: 'finish'; readonly task: TaskRef };

export type ImportCounts = {
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
};

export type PlannedImport = {
  /** To be executed in this order: every reference is made before it is used, and no step makes a cycle. */
  readonly operations: readonly ImportOperation[];
  readonly counts: ImportCounts;
};

export type Stored = { readonly tasks: readonly Task[]; readonly edges: readonly Edge[] };

/**
 * What has to change so that the stored tasks are as the plan says. A task is the stored one with the same path of
 * titles. Work that is done stays done, and what the file does not mention is left alone.
 */
export function planImport(stored: Stored, plan: ImportPlan): PlannedImport {
  const refs = matchStored(stored.tasks, plan);
  const needs = resolveNeeds(stored, plan, refs);
  const order = checkGraph(stored, plan, refs, needs);
  const fields = fieldOperations(stored, plan, refs, needs);
  const operations: ImportOperation[] = [
    ...fields,
    ...dependOperations(stored, refs, needs, order, fields),
    ...finishOperations(stored, plan, refs, order),
  ];
  return { operations, counts: countOf(operations, plan) };
}

type Refs = ReadonlyMap<string, TaskRef>;

/** The nth task of a path in the file is the nth one of that path in the store. */
function matchStored(tasks: readonly Task[], plan: ImportPlan): Refs {
  const waiting = Map.groupBy(tasks, (task) => pathKey(task.parentId, task.title));
  const refs = new Map<string, TaskRef>();
  for (const task of plan.tasks) {
    const parent = task.parent === null ? null : refs.get(task.parent);
    const isNewParent = parent?.kind === 'new';
    const parentId = parent?.kind === 'stored' ? parent.id : null;
    const match = isNewParent ? undefined : waiting.get(pathKey(parentId, task.title))?.shift();
    refs.set(
      task.key,
      match === undefined ? { kind: 'new', key: task.key } : { kind: 'stored', id: match.id },
    );
  }
  return refs;
}

function pathKey(parentId: string | null, title: string): string {
  return `${parentId ?? ''}\n${title}`;
}

type Needs = ReadonlyMap<string, readonly TaskRef[]>;

/** For each task of the plan that says anything about dependencies: all of them. */
function resolveNeeds(stored: Stored, plan: ImportPlan, refs: Refs): Needs {
  const known = stored.tasks.map((task) => ({ ...task, slug: slugOf(task.title) }));
  const found = new Map<string, TaskRef>();
  const needs = new Map<string, readonly TaskRef[]>();
  for (const task of plan.tasks) {
    if (task.after === null) continue;
    const inside = task.after.flatMap((key) => refs.get(key) ?? []);
    const outside = task.outside.map((reference) => {
      const ref = found.get(reference) ?? findOutside(reference, task, known);
      found.set(reference, ref);
      return ref;
    });
    needs.set(task.key, distinct([...inside, ...outside]));
  }
  return needs;
}

function distinct(refs: readonly TaskRef[]): readonly TaskRef[] {
  return [...new Map(refs.map((ref) => [idOf(ref), ref])).values()];
}

function findOutside(
  reference: string,
  task: ImportTask,
  known: readonly { readonly id: string; readonly title: string; readonly slug: string }[],
): TaskRef {
  const [match, another] = matchesOf(reference, known);
  if (match === undefined) {
    throw importError(
      task.place,
      `“${task.title}” comes after “${reference}”, which nothing is called`,
    );
  }
  if (another !== undefined) {
    throw importError(task.place, `“${reference}” may mean ${match.id} or ${another.id}`);
  }
  return { kind: 'stored', id: match.id };
}

function idOf(ref: TaskRef): string {
  return ref.kind === 'stored' ? ref.id : ref.key;
}

/** Refuses a cycle, and orders the plan's keys so that everything comes after what it waits for. */
function checkGraph(stored: Stored, plan: ImportPlan, refs: Refs, needs: Needs): readonly string[] {
  const keys = new Map<string, string>();
  const added: GraphNode[] = [];
  for (const task of plan.tasks) {
    const ref = refs.get(task.key);
    if (ref === undefined) continue;
    keys.set(idOf(ref), task.key);
    const parent = task.parent === null ? undefined : refs.get(task.parent);
    const parentId = parent === undefined ? null : idOf(parent);
    if (ref.kind === 'new') added.push({ id: ref.key, title: task.title, parentId });
  }
  const nodes = [...stored.tasks, ...added];
  const replaced = new Set(
    [...needs.keys()].map((key) => idOf(refs.get(key) ?? { kind: 'new', key })),
  );
  const edges = stored.edges.filter((edge) => !replaced.has(edge.taskId));
  const planned = [...needs].flatMap(([key, after]) => {
    const taskId = idOf(refs.get(key) ?? { kind: 'new', key });
    return after.map((ref) => ({ taskId, dependsOn: idOf(ref) }));
  });
  const all = [...edges, ...planned];
  assertNoCycle(nodes, all);
  const sorted = sortByNeeds(nodes, all);
  return sorted.kind === 'cycle' ? [] : sorted.ids.flatMap((id) => keys.get(id) ?? []);
}

function fieldOperations(
  stored: Stored,
  plan: ImportPlan,
  refs: Refs,
  needs: Needs,
): readonly ImportOperation[] {
  const byId = new Map(stored.tasks.map((task) => [task.id, task]));
  const made = new Set(byId.keys());
  return plan.tasks.flatMap((task): ImportOperation[] => {
    const ref = refs.get(task.key);
    if (ref?.kind === 'stored') {
      const old = byId.get(ref.id);
      const fields = old === undefined ? {} : changedFields(old, task.fields);
      return Object.keys(fields).length === 0 ? [] : [{ type: 'edit', id: ref.id, fields }];
    }
    const parent = task.parent === null ? null : (refs.get(task.parent) ?? null);
    const status = task.status === 'draft' ? 'draft' : 'pending';
    const wanted = needs.get(task.key) ?? [];
    const after = wanted.every((need) => made.has(idOf(need))) ? wanted : [];
    made.add(task.key);
    const { key, title, fields } = task;
    return [{ type: 'add', key, title, parent, after, fields, status }];
  });
}

function changedFields(old: Task, fields: ImportFields): ImportFields {
  const { description, priority, type, validation, maxRetries } = fields;
  const rewritten =
    description !== undefined && descriptionOf(description) !== descriptionOf(old.description);
  return {
    ...(rewritten && { description }),
    ...(priority !== undefined && priority !== old.priority && { priority }),
    ...(type !== undefined && type !== old.type && { type }),
    ...(validation !== undefined && validation !== old.validation && { validation }),
    ...(maxRetries !== undefined && maxRetries !== old.maxRetries && { maxRetries }),
  };
}

/** In the order of needs, so that at each step only ancestors wait for the task that gets dependencies. */
function dependOperations(
  stored: Stored,
  refs: Refs,
  needs: Needs,
  order: readonly string[],
  earlier: readonly ImportOperation[],
): readonly ImportOperation[] {
  const old = Map.groupBy(stored.edges, (edge) => edge.taskId);
  const added = new Map(
    earlier.flatMap((operation) =>
      operation.type === 'add' ? [[operation.key, operation.after.map(idOf)]] : [],
    ),
  );
  return order.flatMap((key): ImportOperation[] => {
    const task = refs.get(key);
    const after = needs.get(key);
    if (task === undefined || after === undefined) return [];
    const kept = (old.get(idOf(task)) ?? []).map((edge) => edge.dependsOn);
    const before = new Set(added.get(key) ?? kept);
    const same = before.size === after.length && after.every((ref) => before.has(idOf(ref)));
    return same ? [] : [{ type: 'depend', task, after }];
  });
}

/** Boxes ticked in the file. A ticked parent of an open child is not done, and running work is not cut short. */
function finishOperations(
  stored: Stored,
  plan: ImportPlan,
  refs: Refs,
  order: readonly string[],
): readonly ImportOperation[] {
  const byId = new Map(stored.tasks.map((task) => [task.id, task]));
  const byKey = new Map(plan.tasks.map((task) => [task.key, task]));
  const open = openParents(plan, byKey);
  return order.flatMap((key): ImportOperation[] => {
    const task = refs.get(key);
    if (task === undefined || byKey.get(key)?.status !== 'done' || open.has(key)) return [];
    const status = task.kind === 'new' ? 'pending' : (byId.get(task.id)?.status ?? 'done');
    const possible = status !== 'running' && canTransition(status, 'done');
    return possible ? [{ type: 'finish', task }] : [];
  });
}

/** Keys of parents with a child that is not ticked, at any depth. */
function openParents(
  plan: ImportPlan,
  byKey: ReadonlyMap<string, ImportTask>,
): ReadonlySet<string> {
  const open = new Set<string>();
  for (const task of plan.tasks) {
    if (task.status === 'done') continue;
    let parent = task.parent;
    while (parent !== null && !open.has(parent)) {
      open.add(parent);
      parent = byKey.get(parent)?.parent ?? null;
    }
  }
  return open;
}

function countOf(operations: readonly ImportOperation[], plan: ImportPlan): ImportCounts {
  const added = operations.filter((operation) => operation.type === 'add').length;
  const touched = new Set<string>();
  for (const operation of operations) {
    if (operation.type === 'edit') touched.add(operation.id);
    if (operation.type === 'depend' || operation.type === 'finish') {
      if (operation.task.kind === 'stored') touched.add(operation.task.id);
    }
  }
  const updated = touched.size;
  return { added, updated, unchanged: plan.tasks.length - added - updated };
}

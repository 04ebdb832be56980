import * as fc from 'fast-check';
import { expect } from 'vitest';
import { isReady } from '../../src/core/graph/ready.ts';
import { priorities, taskStatuses } from '../../src/core/task/task.ts';
import type { NewTask, Priority, TaskStatus } from '../../src/core/task/task.ts';
import type { Store, TaskClaim, Tasks } from '../../src/ports/store.ts';
import { Refusal, TaskModel } from './tasks-model.ts';

/** Tasks are named by position among those that exist when the operation runs. */
type Operation =
  | {
      readonly type: 'add';
      readonly parent: number | null;
      readonly after: readonly number[];
      readonly status: 'draft' | 'pending' | 'done';
      readonly validation: string | null;
      readonly priority: Priority;
    }
  | {
      readonly type: 'edit';
      readonly task: number;
      readonly parent: number | null | undefined;
      readonly after: readonly number[] | undefined;
      readonly validation: string | null | undefined;
      readonly priority: Priority | undefined;
      readonly status: 'draft' | 'pending' | 'done' | undefined;
    }
  | { readonly type: 'depend' | 'undepend'; readonly task: number; readonly on: number }
  | { readonly type: 'transition'; readonly task: number; readonly to: TaskStatus }
  | { readonly type: 'claimNext' | 'expire'; readonly wait: number }
  | {
      readonly type: 'claimNamed' | 'release' | 'finish' | 'fail' | 'delete';
      readonly task: number;
    };

const position = fc.nat({ max: 30 });
const validation = fc.constantFrom(null, null, 'npm test');
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('add' as const),
      parent: fc.option(position, { freq: 2 }),
      after: fc.array(position, { maxLength: 2 }),
      status: fc.constantFrom('pending', 'pending', 'pending', 'draft', 'done'),
      validation,
      priority: fc.constantFrom(...priorities),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('edit' as const),
      task: position,
      parent: optional(fc.option(position)),
      after: optional(fc.array(position, { maxLength: 2 })),
      validation: optional(validation),
      priority: optional(fc.constantFrom(...priorities)),
      status: fc.constantFrom(undefined, undefined, 'draft', 'pending', 'done'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constantFrom('depend', 'undepend'),
      task: position,
      on: position,
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant('transition' as const),
      task: position,
      to: fc.constantFrom(...taskStatuses),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constantFrom('claimNext', 'claimNext', 'claimNext', 'expire'),
      wait: fc.nat({ max: 40 }),
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      type: fc.constantFrom(
        'finish',
        'finish',
        'fail',
        'fail',
        'claimNamed',
        'claimNamed',
        'release',
        'delete',
      ),
      task: position,
    }),
  },
);

export const operations = fc.array(operation, { minLength: 1, maxLength: 80, size: 'max' });

/** Runs the operations on the store and on the model; after each both must say the same. */
export async function runAgainstModel(store: Store, steps: readonly Operation[]): Promise<void> {
  let model = new TaskModel();
  await removeAll(store);
  for (const [index, step] of steps.entries()) {
    // Minutes apart, so that priorities and ages mix.
    const now = 1_000_000_000 + index * 7 * 60_000;
    const next = model.copy();
    const expected = outcomeOf(() => plan(next, step, now, index));
    if (expected === null) continue;
    const actual = await storeOutcome(store, expected.act);
    expect(actual, JSON.stringify(step)).toEqual(expected.result);
    if (!('refused' in expected.result)) model = next;
    await compare(store, model, step.type === 'delete' || step.type === 'release');
  }
}

type Act = (tasks: Tasks) => Promise<unknown>;
type Outcome = { readonly value: unknown } | { readonly refused: string };
type Planned = { readonly act: Act; readonly run: () => unknown };

function outcomeOf(
  make: () => Planned | null,
): { readonly act: Act; readonly result: Outcome } | null {
  const planned = make();
  if (planned === null) return null;
  try {
    return { act: planned.act, result: { value: planned.run() ?? null } };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { act: planned.act, result: { refused: error.code } };
  }
}

async function storeOutcome(store: Store, act: Act): Promise<Outcome> {
  try {
    return { value: (await store.write((tx) => act(tx.tasks))) ?? null };
  } catch (error) {
    const refused = error instanceof Error && 'code' in error ? String(error.code) : null;
    if (refused === null || refused.startsWith('store.')) throw error;
    return { refused };
  }
}

function plan(model: TaskModel, step: Operation, now: number, index: number): Planned | null {
  const ids = [...model.tasks.keys()];
  const pick = (at: number): string => ids[at % ids.length] ?? '';
  if (step.type === 'add') {
    const id = `t-${index}`;
    const task = newTask(step, ids.length === 0 ? null : pick);
    return {
      act: async (tasks) => void (await tasks.add(id, task, now)),
      run: () => model.add(id, task, now),
    };
  }
  if (ids.length === 0) return null;
  switch (step.type) {
    case 'edit': {
      const change: Partial<NewTask> = {
        ...(step.parent !== undefined && {
          parentId: step.parent === null ? null : pick(step.parent),
        }),
        ...(step.after !== undefined && { after: step.after.map(pick) }),
        ...(step.validation !== undefined && { validation: step.validation }),
        ...(step.priority !== undefined && { priority: step.priority }),
        ...(step.status !== undefined && { status: step.status }),
      };
      const id = pick(step.task);
      return {
        act: async (tasks) => void (await tasks.edit(id, change, now)),
        run: () => model.edit(id, change, now),
      };
    }
    case 'depend':
      return {
        act: (tasks) => tasks.addDependency(pick(step.task), pick(step.on), now),
        run: () => model.depend(pick(step.task), pick(step.on), now),
      };
    case 'undepend':
      return {
        act: (tasks) => tasks.removeDependency(pick(step.task), pick(step.on), now),
        run: () => model.undepend(pick(step.task), pick(step.on), now),
      };
    case 'transition':
      return {
        act: async (tasks) => void (await tasks.transition(pick(step.task), step.to, { now })),
        run: () => model.transition(pick(step.task), step.to, now),
      };
    case 'claimNext': {
      const lease = { now, until: now + step.wait * 60_000 };
      return {
        act: async (tasks) => (await tasks.claim({ owner: 'o', now, lease }))?.taskId,
        run: () => model.claimNext('o', now, lease.until),
      };
    }
    case 'claimNamed': {
      const lease = { now, until: now + 20 * 60_000 };
      const taskId = pick(step.task);
      return {
        act: async (tasks) => (await tasks.claim({ owner: 'o', now, lease, taskId }))?.taskId,
        run: () => model.claimNamed(taskId, 'o', now, lease.until),
      };
    }
    case 'expire':
      return { act: (tasks) => tasks.expireLeases(now, now), run: () => model.expire(now) };
    case 'release': {
      const claim = heldClaim(model, pick(step.task));
      if (claim === null) return null;
      return {
        act: (tasks) => tasks.release(claim),
        run: () => model.release(claim.taskId, now),
      };
    }
    case 'finish':
    case 'fail': {
      const claim = heldClaim(model, pick(step.task));
      if (claim === null) return null;
      const to = step.type === 'finish' ? 'done' : 'failed';
      return {
        act: async (tasks) => void (await tasks.transition(claim.taskId, to, { now, claim })),
        run: () => model.transition(claim.taskId, to, now),
      };
    }
    case 'delete':
      return {
        act: (tasks) => tasks.delete(pick(step.task)),
        run: () => model.delete(pick(step.task), now),
      };
  }
}

function newTask(
  step: Extract<Operation, { type: 'add' }>,
  pick: ((at: number) => string) | null,
): NewTask {
  return {
    title: 'task',
    parentId: step.parent === null || pick === null ? null : pick(step.parent),
    after: pick === null ? [] : step.after.map(pick),
    status: step.status,
    validation: step.validation,
    priority: step.priority,
  };
}

/** The running task at or after the one picked. */
function heldClaim(model: TaskModel, from: string): TaskClaim | null {
  const ids = [...model.tasks.keys()];
  const start = ids.indexOf(from);
  const running = [...ids.slice(start), ...ids.slice(0, start)]
    .map((id) => model.get(id))
    .find(({ status }) => status === 'running');
  if (running === undefined) return null;
  return { taskId: running.id, owner: running.owner ?? '', token: running.token };
}

/** `undated`: the operation carries no time, so when things became ready is for the store to say. */
async function compare(store: Store, model: TaskModel, undated: boolean): Promise<void> {
  await store.read(async ({ tasks }) => {
    const stored = await tasks.list({});
    if (undated) {
      for (const task of stored) {
        const known = model.get(task.id);
        if (known.readySince !== null && task.readySince !== null)
          known.readySince = task.readySince;
      }
    }
    const answers = stored.map((task) => ({
      id: task.id,
      parentId: task.parentId,
      status: task.status,
      blockers: task.blockers,
      children: task.children,
      openChildren: task.openChildren,
      held: task.held,
      readySince: task.readySince,
    }));
    const expected = [...model.tasks.keys()].map((id) => ({ id, ...model.answer(id) }));
    expect(answers).toEqual(expected);
    expect((await tasks.ready(100)).map(({ id }) => id)).toEqual(model.readyIds());
    // The pure definition of ready says of each row what the index says of all.
    expect(new Set(stored.filter(isReady).map(({ id }) => id))).toEqual(new Set(model.readyIds()));
    for (const task of stored) {
      if (model.get(task.id).blockedBelow)
        expect(failedIds(model, task.id)).toContain(namedIn(task));
    }
  });
}

function failedIds(model: TaskModel, id: string): readonly string[] {
  const failed = model.descendants(id).filter(({ status }) => status === 'failed');
  return failed.map((task) => task.id);
}

function namedIn(task: { readonly reason: string | null }): string {
  return /^subtask (\S+) /.exec(task.reason ?? '')?.[1] ?? '';
}

async function removeAll(store: Store): Promise<void> {
  await store.write(async ({ tasks }) => {
    for (const task of await tasks.list({})) {
      if (task.status === 'running') await tasks.transition(task.id, 'pending', { now: 1 });
    }
    for (const task of await tasks.list({ parentId: null })) await tasks.delete(task.id);
  });
}

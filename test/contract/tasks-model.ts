import { priorityPoints } from '../../src/core/graph/order.ts';
import { canTransition } from '../../src/core/graph/transitions.ts';
import type { NewTask, Priority, Task, TaskStatus } from '../../src/core/task/task.ts';

export type ModelTask = {
  readonly id: string;
  readonly sequence: number;
  parent: string | null;
  after: Set<string>;
  status: TaskStatus;
  /** Blocked because of a failed descendant. */
  blockedBelow: boolean;
  validation: string | null;
  priority: Priority;
  readySince: number | null;
  owner: string | null;
  leaseUntil: number | null;
  token: number;
};

/** Thrown by the model where the store has to refuse with this code. */
export class Refusal extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/**
 * The rules of tasks in the most obvious way: nothing is counted, everything is looked up anew. Operations return
 * nothing and throw a `Refusal`; the model is then to be thrown away for the copy taken before.
 */
export class TaskModel {
  readonly tasks = new Map<string, ModelTask>();
  #sequence = 0;

  add(id: string, task: NewTask, now: number): void {
    const parent = task.parentId ?? null;
    this.tasks.set(id, {
      id,
      sequence: (this.#sequence += 1),
      parent,
      after: new Set(task.after),
      status: task.status ?? 'pending',
      blockedBelow: false,
      validation: task.validation ?? null,
      priority: task.priority ?? 'normal',
      readySince: null,
      owner: null,
      leaseUntil: null,
      token: 0,
    });
    this.#refuseCycles();
    this.#settle(now);
  }

  edit(id: string, change: Partial<NewTask>, now: number): void {
    const task = this.get(id);
    if (change.parentId !== undefined) task.parent = change.parentId;
    if (change.after !== undefined) task.after = new Set(change.after);
    this.#refuseCycles();
    if (change.validation !== undefined) task.validation = change.validation;
    if (change.priority !== undefined) task.priority = change.priority;
    if (change.status !== undefined && change.status !== task.status)
      this.#move(task, change.status);
    this.#settle(now);
  }

  depend(id: string, on: string, now: number): void {
    this.get(id).after.add(on);
    this.#refuseCycles();
    this.#settle(now);
  }

  undepend(id: string, on: string, now: number): void {
    this.get(id).after.delete(on);
    this.#settle(now);
  }

  transition(id: string, to: TaskStatus, now: number): void {
    if (to === 'running') throw new Refusal('task.transition');
    this.#move(this.get(id), to);
    this.#settle(now);
  }

  claimNext(owner: string, now: number, leaseUntil: number): string | null {
    const [id] = this.readyIds();
    if (id === undefined) return null;
    this.#take(this.get(id), owner, leaseUntil);
    this.#settle(now);
    return id;
  }

  claimNamed(id: string, owner: string, now: number, leaseUntil: number): string | null {
    const task = this.get(id);
    if (task.leaseUntil !== null && task.leaseUntil <= now) {
      this.#giveBack(task);
      this.#settle(now);
    }
    const startable = ['pending', 'paused', 'failed', 'blocked'].includes(task.status);
    if (!startable || !this.#isWorkable(task)) return null;
    if (task.status !== 'pending') task.readySince = null;
    this.#take(task, owner, leaseUntil);
    this.#settle(now);
    return id;
  }

  release(id: string, now: number): void {
    this.#giveBack(this.get(id));
    this.#settle(now);
  }

  expire(now: number): readonly string[] {
    const expired = this.#all().filter(
      ({ leaseUntil }) => leaseUntil !== null && leaseUntil <= now,
    );
    for (const task of expired) this.#giveBack(task);
    this.#settle(now);
    return expired.map(({ id }) => id);
  }

  delete(id: string, now: number): void {
    const gone = [this.get(id), ...this.descendants(id)];
    if (gone.some(({ status }) => status === 'running')) throw new Refusal('task.running');
    for (const task of gone) this.tasks.delete(task.id);
    for (const task of this.#all()) for (const { id: deleted } of gone) task.after.delete(deleted);
    this.#settle(now);
  }

  get(id: string): ModelTask {
    const task = this.tasks.get(id);
    if (task === undefined) throw new Error(`the model has no ${id}`);
    return task;
  }

  copy(): TaskModel {
    const copy = new TaskModel();
    copy.#sequence = this.#sequence;
    for (const task of this.#all())
      copy.tasks.set(task.id, { ...task, after: new Set(task.after) });
    return copy;
  }

  readyIds(): readonly string[] {
    const ready = this.#all().filter((task) => this.#isReady(task));
    return ready.toSorted((a, b) => key(a) - key(b) || a.sequence - b.sequence).map(({ id }) => id);
  }

  /** What the store must say of the task. */
  answer(
    id: string,
  ): Pick<
    Task,
    'status' | 'blockers' | 'children' | 'openChildren' | 'held' | 'readySince' | 'parentId'
  > {
    const task = this.get(id);
    const children = this.children(id);
    return {
      parentId: task.parent,
      status: task.status,
      blockers: this.#openNeeds(task).length,
      children: children.length,
      openChildren: children.filter(({ status }) => status !== 'done').length,
      held: this.#ancestors(task).filter(({ status }) => isHolding(status)).length,
      readySince: task.readySince,
    };
  }

  children(id: string): readonly ModelTask[] {
    return this.#all().filter(({ parent }) => parent === id);
  }

  descendants(id: string): readonly ModelTask[] {
    return this.children(id).flatMap((child) => [child, ...this.descendants(child.id)]);
  }

  #all(): readonly ModelTask[] {
    return [...this.tasks.values()];
  }

  #ancestors(task: ModelTask): readonly ModelTask[] {
    if (task.parent === null) return [];
    const parent = this.get(task.parent);
    return [parent, ...this.#ancestors(parent)];
  }

  #openNeeds(task: ModelTask): readonly string[] {
    return [...task.after].filter((id) => this.get(id).status !== 'done');
  }

  #isWorkable(task: ModelTask): boolean {
    const children = this.children(task.id);
    if (children.length === 0) return true;
    return children.every(({ status }) => status === 'done') && task.validation !== null;
  }

  #isReady(task: ModelTask): boolean {
    return (
      task.status === 'pending' &&
      this.#openNeeds(task).length === 0 &&
      !this.#ancestors(task).some(({ status }) => isHolding(status)) &&
      this.#isWorkable(task)
    );
  }

  #move(task: ModelTask, to: TaskStatus): void {
    if (!canTransition(task.status, to)) throw new Refusal('task.transition');
    task.status = to;
    task.blockedBelow = false;
    task.readySince = null;
    task.owner = null;
    task.leaseUntil = null;
  }

  #take(task: ModelTask, owner: string, leaseUntil: number): void {
    task.status = 'running';
    task.blockedBelow = false;
    task.owner = owner;
    task.leaseUntil = leaseUntil;
    task.token += 1;
  }

  #giveBack(task: ModelTask): void {
    const { readySince } = task;
    this.#move(task, 'pending');
    task.readySince = readySince;
  }

  #settle(now: number): void {
    while (this.#all().some((task) => this.#reopen(task)));
    while (this.#all().some((task) => this.#follow(task)));
    for (const task of this.#all()) {
      if (task.status === 'running') continue;
      task.readySince = this.#isReady(task) ? (task.readySince ?? now) : null;
    }
  }

  #reopen(task: ModelTask): boolean {
    const isOpen = this.children(task.id).some(({ status }) => status !== 'done');
    if (task.status !== 'done' || !isOpen) return false;
    task.status = 'pending';
    return true;
  }

  #follow(task: ModelTask): boolean {
    const children = this.children(task.id);
    const failed = this.descendants(task.id).some(({ status }) => status === 'failed');
    if (task.status === 'pending' && failed) {
      task.status = 'blocked';
      task.blockedBelow = true;
      return true;
    }
    if (task.blockedBelow && !failed) {
      task.status = 'pending';
      task.blockedBelow = false;
      return true;
    }
    const finished = children.length > 0 && children.every(({ status }) => status === 'done');
    const free = this.#openNeeds(task).length === 0 && task.validation === null;
    if (task.status !== 'pending' || !finished || !free) return false;
    task.status = 'done';
    return true;
  }

  #refuseCycles(): void {
    for (const task of this.#all()) {
      if (this.#needs(task.id, new Set()).has(task.id)) throw new Refusal('task.cycle');
    }
    for (const task of this.#all()) {
      const below = this.descendants(task.id);
      if (below.some(({ id }) => task.after.has(id))) throw new Refusal('task.cycle');
    }
  }

  #needs(id: string, seen: Set<string>): Set<string> {
    const direct = [...this.get(id).after, ...this.children(id).map((child) => child.id)];
    for (const needed of direct) {
      if (seen.has(needed)) continue;
      seen.add(needed);
      this.#needs(needed, seen);
    }
    return seen;
  }
}

function key(task: ModelTask): number {
  return (task.readySince ?? Number.NaN) - priorityPoints[task.priority] * 60_000;
}

function isHolding(status: TaskStatus): boolean {
  return status === 'failed' || status === 'cancelled' || status === 'paused';
}

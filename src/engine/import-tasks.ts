import type { ImportPlan } from '../core/task/import-plan.ts';
import {
  planImport,
  type ImportCounts,
  type ImportOperation,
  type TaskRef,
} from '../core/task/plan-import.ts';
import type { Ids } from '../ports/clock.ts';
import type { Tasks } from '../ports/store.ts';

/**
 * Makes the stored tasks what the plan says. To be called within one transaction: it throws on the first thing that
 * cannot be done, and then nothing may be kept.
 */
export async function importTasks(
  tasks: Tasks,
  plan: ImportPlan,
  ids: Ids,
  now: number,
): Promise<ImportCounts> {
  const stored = { tasks: await tasks.list({}), edges: await tasks.edges() };
  const { operations, counts } = planImport(stored, plan);
  const executor = new Executor(tasks, new Set(stored.tasks.map((task) => task.id)), ids, now);
  for (const operation of operations) await executor.execute(operation);
  return counts;
}

class Executor {
  readonly #tasks: Tasks;
  readonly #taken: Set<string>;
  readonly #ids: Ids;
  readonly #now: number;
  readonly #added = new Map<string, string>();

  constructor(tasks: Tasks, taken: Set<string>, ids: Ids, now: number) {
    this.#tasks = tasks;
    this.#taken = taken;
    this.#ids = ids;
    this.#now = now;
  }

  async execute(operation: ImportOperation): Promise<void> {
    switch (operation.type) {
      case 'add': {
        const { key, title, parent, fields, status } = operation;
        const after = operation.after.map((ref) => this.#idOf(ref));
        const parentId = parent === null ? null : this.#idOf(parent);
        const id = this.#newId(key);
        await this.#tasks.add(id, { ...fields, title, parentId, after, status }, this.#now);
        return;
      }
      case 'edit':
        await this.#tasks.edit(operation.id, operation.fields, this.#now);
        return;
      case 'depend': {
        const after = operation.after.map((ref) => this.#idOf(ref));
        await this.#tasks.edit(this.#idOf(operation.task), { after }, this.#now);
        return;
      }
      case 'finish':
        return this.#finish(this.#idOf(operation.task));
    }
  }

  /** A parent may have been finished by its last child already. */
  async #finish(id: string): Promise<void> {
    const task = await this.#tasks.get(id);
    if (task === null || task.status === 'done') return;
    await this.#tasks.transition(id, 'done', { now: this.#now, reason: 'imported as done' });
  }

  #newId(key: string): string {
    let id = this.#ids.task();
    while (this.#taken.has(id)) id = this.#ids.task();
    this.#taken.add(id);
    this.#added.set(key, id);
    return id;
  }

  /** The plan adds every task before it refers to it. */
  #idOf(ref: TaskRef): string {
    return ref.kind === 'stored' ? ref.id : (this.#added.get(ref.key) ?? ref.key);
  }
}

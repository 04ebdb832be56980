import type { StoreTx } from '../ports/store.ts';

const maxDepth = 100;

/** The topmost ancestor of a task: tasks of one plan share it. */
export async function scopeOf(tx: StoreTx, taskId: string): Promise<string> {
  let id = taskId;
  for (let depth = 0; depth < maxDepth; depth++) {
    const parent = (await tx.tasks.get(id))?.parentId ?? null;
    if (parent === null) return id;
    id = parent;
  }
  return id;
}

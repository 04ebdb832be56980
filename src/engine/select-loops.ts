import type { Selector } from '../core/coordinate/selector.ts';
import { LoopwrightError } from '../core/error.ts';
import { isEnded } from '../core/loop/status.ts';
import type { LoopRow, StoreTx } from '../ports/store.ts';
import { findLoopId, findTaskId, noLoop } from './find-loop.ts';

/**
 * The loops a selector means, newest first. Only one that is named may have ended. Children and descendants are those of a
 * task, which its id, its title or one of its loops names; `from` is the loop that is meant when the selector names none.
 */
export async function selectLoops(
  tx: StoreTx,
  selector: Selector,
  from: string | null,
): Promise<readonly LoopRow[]> {
  switch (selector.by) {
    case 'id': {
      const loop = await tx.loops.get(await findLoopId(tx, selector.id));
      const rows = loop === null ? [] : await tx.loops.list({ taskId: loop.taskId });
      const row = rows.find(({ id }) => id === loop?.id);
      if (row === undefined) throw noLoop(selector.id);
      return [row];
    }
    case 'status':
      return tx.loops.list({ statuses: [selector.status] });
    case 'all':
      return open(await tx.loops.list({}));
    case 'type': {
      const rows = open(await tx.loops.list({}));
      const loops = await Promise.all(rows.map(({ id }) => tx.loops.get(id)));
      return rows.filter((_row, index) => loops[index]?.loopType === selector.type);
    }
    case 'children':
    case 'descendants': {
      const taskIds = await selectTasksBelow(tx, selector, from);
      return open(await tx.loops.list({})).filter(({ taskId }) => taskIds.has(taskId));
    }
  }
}

function open(rows: readonly LoopRow[]): readonly LoopRow[] {
  return rows.filter(({ status }) => !isEnded(status));
}

type Below = Extract<Selector, { by: 'children' | 'descendants' }>;

/** The tasks that a selector of children or descendants means, with or without a loop. */
export async function selectTasksBelow(
  tx: StoreTx,
  { by, of }: Below,
  from: string | null,
): Promise<ReadonlySet<string>> {
  const above = of ?? from;
  if (above === null) throw noneNamed(by);
  return tasksBelow(tx, await findTaskId(tx, above), by);
}

async function tasksBelow(
  tx: StoreTx,
  top: string,
  which: 'children' | 'descendants',
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const look = async (taskId: string): Promise<void> => {
    for (const { id } of await tx.tasks.childrenOf(taskId)) {
      found.add(id);
      if (which === 'descendants') await look(id);
    }
  };
  await look(top);
  return found;
}

function noneNamed(which: 'children' | 'descendants'): LoopwrightError {
  return new LoopwrightError('usage.selector', `“${which}” does not say of which task`, {
    hint: `write \`${which}:TASK\`, \`${which}:LOOP\` or \`${which}:last\``,
  });
}

import type { Selector } from '../core/coordinate/selector.ts';
import { LoopwrightError } from '../core/error.ts';
import { isEnded } from '../core/loop/status.ts';
import type { LoopRow, StoreTx } from '../ports/store.ts';

/**
 * The loops a selector means, newest first. Only one that is named may have ended; `from` is the loop that children and
 * descendants belong to when the selector does not say.
 */
export async function selectLoops(
  tx: StoreTx,
  selector: Selector,
  from: string | null,
): Promise<readonly LoopRow[]> {
  switch (selector.by) {
    case 'id': {
      const loop = await tx.loops.get(selector.id);
      const rows = loop === null ? [] : await tx.loops.list({ taskId: loop.taskId });
      const row = rows.find(({ id }) => id === selector.id);
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
      const taskIds = await tasksBelow(tx, selector.of ?? from, selector.by === 'descendants');
      return open(await tx.loops.list({})).filter(({ taskId }) => taskIds.has(taskId));
    }
  }
}

function open(rows: readonly LoopRow[]): readonly LoopRow[] {
  return rows.filter(({ status }) => !isEnded(status));
}

async function tasksBelow(
  tx: StoreTx,
  loopId: string | null,
  isDeep: boolean,
): Promise<ReadonlySet<string>> {
  const loop = loopId === null ? null : await tx.loops.get(loopId);
  if (loop === null) throw noLoop(loopId ?? 'the sender');
  const found = new Set<string>();
  const look = async (taskId: string): Promise<void> => {
    for (const { id } of await tx.tasks.childrenOf(taskId)) {
      found.add(id);
      if (isDeep) await look(id);
    }
  };
  await look(loop.taskId);
  return found;
}

function noLoop(id: string): LoopwrightError {
  return new LoopwrightError('loop.not_found', `there is no loop ${id.slice(0, 64)}`, {
    hint: 'list them with `loopwright loop list`',
  });
}

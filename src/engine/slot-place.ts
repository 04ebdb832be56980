import { providerOf } from '../core/agent/provider.ts';
import type { Settings } from '../core/config/schema.ts';
import { orderKey } from '../core/graph/order.ts';
import type { Loop } from '../core/loop/loop.ts';
import type { Engine } from './engine.ts';

/** What decides when a loop gets its slot, beside its order. */
export type SlotPlace = {
  readonly provider: string | null;
  /** Its agent is a program, which takes one of the slots for agents. */
  readonly needsAgent: boolean;
};

export async function slotPlace(
  { resolveAgent }: Pick<Engine, 'resolveAgent'>,
  settings: Settings,
): Promise<SlotPlace> {
  // An agent that cannot be used is told when the loop starts.
  const kind = await resolveAgent(settings).then(
    (agent) => agent.kind,
    () => null,
  );
  return { provider: providerOf(settings), needsAgent: kind !== 'native' };
}

/** The order of the loop's task, for every slot it asks for: its priority holds for agents and requests too. */
export async function orderOfLoop(
  { store }: Pick<Engine, 'store'>,
  { taskId, createdAt }: Pick<Loop, 'taskId' | 'createdAt'>,
): Promise<number> {
  const task = await store.read((tx) => tx.tasks.get(taskId));
  return task === null ? createdAt : orderKey(task.readySince ?? createdAt, task.priority);
}

import type { Engine } from '../engine.ts';
import type { LoopOwner } from '../loop-owner.ts';
import { modelPlan, planModel } from '../plan-model.ts';

/** The model of this iteration, with the reason. The task is claimed by now: the counters are its own. */
export async function chooseModel(engine: Engine, owner: LoopOwner): Promise<void> {
  const { loop, iteration } = owner;
  const { model, reason } = await engine.store.read(async (tx) =>
    planModel(tx, await modelPlan(tx, loop, iteration.number)),
  );
  await owner.record({ type: 'model.chosen', model, reason });
}

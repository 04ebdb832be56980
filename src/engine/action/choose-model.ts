import type { LoopOwner } from '../loop-owner.ts';

/** The configured model, else the agent's own. */
export async function chooseModel(owner: LoopOwner): Promise<void> {
  const { agent, settings } = owner.loop;
  const configured = settings.agents[agent]?.model ?? settings['model-strategy'].model ?? null;
  const reason = configured === null ? "the agent's own choice" : 'configured';
  await owner.record({ type: 'model.chosen', model: configured, reason });
}

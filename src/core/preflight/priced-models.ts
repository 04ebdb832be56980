import type { Settings } from '../config/schema.ts';
import { agentTiers, isTier, nearestTier } from '../model/tier.ts';
import { configuredCost, type PriceLookup } from '../price/price.ts';

/** Models that a loop with these settings would be started with, as far as that is known beforehand. */
export function plannedModels(agent: string, settings: Settings): readonly string[] {
  const pinned = settings.agents[agent]?.model;
  if (pinned !== undefined) return [pinned];
  const tiers = agentTiers(agent, settings.models, settings.agents);
  const { name, model } = settings['model-strategy'];
  if (model !== undefined) {
    const tier = isTier(model) ? nearestTier(model, tiers) : null;
    const named = tier === null ? model : tiers[tier];
    return named === undefined || isTier(named) ? [] : [named];
  }
  const configured = Object.keys(settings.models[agent] ?? {}).length > 0;
  if (name === 'fixed' || (name === 'auto' && !configured)) return [];
  return [...new Set(Object.values(tiers).filter((each) => each !== undefined))];
}

/** The line of the configuration that names another model in place of a planned one. */
export function modelLine(
  agent: string,
  model: string,
  instead: string,
  settings: Pick<Settings, 'agents' | 'models'>,
): string {
  if (settings.agents[agent]?.model === model) return `agents: { ${agent}: { model: ${instead} } }`;
  const tiers = Object.entries(settings.models[agent] ?? {});
  const tier = tiers.find(([, name]) => name === model)?.[0];
  return tier === undefined
    ? `model-strategy: { model: ${instead} }`
    : `models: { ${agent}: { ${tier}: ${instead} } }`;
}

/** The key of a cost budget that is set; null when there is none. */
export function costBudgetKey({ budget }: Pick<Settings, 'budget'>): string | null {
  const keys = [
    ['budget.max-cost-usd', budget['max-cost-usd']],
    ['budget.run.max-cost-usd', budget.run['max-cost-usd']],
    ['budget.day.max-cost-usd', budget.day['max-cost-usd']],
  ] as const;
  return keys.find(([, limit]) => limit !== null && limit > 0)?.[0] ?? null;
}

/** The keys of the budgets of cost and tokens that are set. */
export function usageBudgetKeys({ budget }: Pick<Settings, 'budget'>): readonly string[] {
  const limits = [
    ['budget.max-cost-usd', budget['max-cost-usd']],
    ['budget.max-tokens', budget['max-tokens']],
    ['budget.run.max-cost-usd', budget.run['max-cost-usd']],
    ['budget.run.max-tokens', budget.run['max-tokens']],
    ['budget.day.max-cost-usd', budget.day['max-cost-usd']],
  ] as const;
  return limits.flatMap(([key, limit]) => (limit !== null && limit > 0 ? [key] : []));
}

const sample = { input: 1000, output: 1000, cacheRead: 0, cacheWrite: 0 };

/** The first of these models that nobody knows a price of; null when all have one. */
export function unpricedModel(
  models: readonly string[],
  prices: Settings['prices'],
  shipped: PriceLookup,
): string | null {
  const isPriced = (model: string): boolean =>
    configuredCost(model, sample, prices) !== null || shipped(model, sample) !== null;
  return models.find((model) => !isPriced(model)) ?? null;
}

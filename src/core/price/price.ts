import { addTokens, totalTokens, type ModelUsage, type Tokens } from '../agent/outcome.ts';
import type { Settings } from '../config/schema.ts';

/** Who said what a run cost. */
export type CostSource = 'agent' | 'configured' | 'shipped';

/** What a run has used, as its agent reports it: totals. */
export type RunUsage = {
  readonly tokens: Tokens | null;
  /** Null: the agent does not say. */
  readonly costUsd: number | null;
  /** Null: not known. */
  readonly model: string | null;
  /** The same by model, when there was more than one. */
  readonly models?: readonly ModelUsage[];
};

/** The same with what it costs. */
export type PricedUsage = {
  readonly tokens: Tokens | null;
  /** Null: unknown, and never 0 for unknown. */
  readonly costUsd: number | null;
  readonly costSource: CostSource | null;
  readonly model: string | null;
  readonly models: readonly ModelUsage[];
};

/** USD for these tokens of a model; null when it has no such price. */
export type PriceLookup = (model: string, tokens: Tokens) => number | null;

export const nothingUsed: PricedUsage = {
  tokens: null,
  costUsd: null,
  costSource: null,
  model: null,
  models: [],
};

/** The agent's word, else the configured price, else the shipped one, else unknown. */
export function priceUsage(
  usage: RunUsage,
  prices: Settings['prices'],
  shipped: PriceLookup,
): PricedUsage {
  const models = modelsOf(usage).map((each) => priceModel(each, prices, shipped));
  const tokens = usage.tokens ?? sumTokens(models.map(({ use }) => use));
  const shared = { tokens, model: usage.model, models: models.map(({ use }) => use) };
  const reported = reportedCost(usage.costUsd, tokens);
  if (reported !== null) {
    const [only, ...others] = shared.models;
    // The whole is the agent's word; with one model so is the part.
    const known =
      only !== undefined && others.length === 0 ? [{ ...only, costUsd: reported }] : shared.models;
    return { ...shared, models: known, costUsd: reported, costSource: 'agent' };
  }
  const costUsd = sumCosts(models.map(({ use }) => use.costUsd));
  return { ...shared, costUsd, costSource: costUsd === null ? null : weakest(models) };
}

/** The least certain source of those that made up a sum. */
function weakest(models: readonly { readonly source: CostSource | null }[]): CostSource | null {
  const order: readonly CostSource[] = ['shipped', 'configured', 'agent'];
  return order.find((source) => models.some((each) => each.source === source)) ?? null;
}

/** Whether tokens were used for which nobody knows a price. */
export function isUnpriced({ tokens, costUsd }: Pick<PricedUsage, 'tokens' | 'costUsd'>): boolean {
  return costUsd === null && tokens !== null && totalTokens(tokens) > 0;
}

/** A key left out is unknown, not free: tokens of that kind make the whole unknown. */
export function configuredCost(
  model: string,
  tokens: Tokens,
  prices: Settings['prices'],
): number | null {
  const price = priceFor(model, prices);
  if (price === null) return null;
  const parts = [
    perMillion(tokens.input, price.input),
    perMillion(tokens.output, price.output),
    perMillion(tokens.cacheRead, price['cache-read']),
    perMillion(tokens.cacheWrite, price['cache-write']),
  ];
  return sumCosts(parts);
}

/** By its whole name, else by its name without the provider in front (`openai/gpt-x`). */
function priceFor(model: string, prices: Settings['prices']): Settings['prices'][string] | null {
  const short = model.slice(model.lastIndexOf('/') + 1);
  const key = [model, short].find((name) => Object.hasOwn(prices, name));
  return (key === undefined ? undefined : prices[key]) ?? null;
}

function perMillion(tokens: number, price: number | undefined): number | null {
  if (tokens === 0) return 0;
  return price === undefined ? null : (tokens * price) / 1_000_000;
}

function modelsOf({ models, model, tokens, costUsd }: RunUsage): readonly ModelUsage[] {
  if (models !== undefined && models.length > 0) return models;
  return tokens === null ? [] : [{ model, tokens, costUsd }];
}

function priceModel(
  use: ModelUsage,
  prices: Settings['prices'],
  shipped: PriceLookup,
): { readonly use: ModelUsage; readonly source: CostSource | null } {
  const reported = reportedCost(use.costUsd, use.tokens);
  if (reported !== null) return { use: { ...use, costUsd: reported }, source: 'agent' };
  const configured = use.model === null ? null : configuredCost(use.model, use.tokens, prices);
  if (configured !== null) return { use: { ...use, costUsd: configured }, source: 'configured' };
  const listed = use.model === null ? null : shipped(use.model, use.tokens);
  return { use: { ...use, costUsd: listed }, source: listed === null ? null : 'shipped' };
}

/** A cost of nothing for something comes from an agent that has no prices. */
function reportedCost(costUsd: number | null, tokens: Tokens | null): number | null {
  if (costUsd === null || !Number.isFinite(costUsd) || costUsd < 0) return null;
  const isUsed = tokens !== null && totalTokens(tokens) > 0;
  return costUsd === 0 && isUsed ? null : costUsd;
}

function sumCosts(costs: readonly (number | null)[]): number | null {
  if (costs.length === 0) return null;
  return costs.reduce((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0);
}

function sumTokens(models: readonly ModelUsage[]): Tokens | null {
  return models.reduce<Tokens | null>((sum, { tokens }) => addTokens(sum, tokens), null);
}

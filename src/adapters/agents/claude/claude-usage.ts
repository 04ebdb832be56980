/** What a run has used so far, out of messages that are told in parts and more than once. */
import { addTokens, type ModelUsage, type Tokens } from '../../../core/agent/outcome.ts';
import { countAt, isObject, numberAt, objectAt, type Json } from '../../../core/json/fields.ts';

export type UsageSoFar = {
  readonly closed: Tokens | null;
  /** The latest messages, which may still grow. */
  readonly open: readonly { readonly id: string; readonly tokens: Tokens }[];
};

export const noUsage: UsageSoFar = { closed: null, open: [] };

/** The main conversation and its sub-agents speak at once, but not more of them than this. */
const maxOpen = 16;

/** Tokens of one message in Anthropic's words. */
export function messageTokens(usage: Json): Tokens {
  return {
    input: countAt(usage, 'input_tokens'),
    output: countAt(usage, 'output_tokens'),
    cacheRead: countAt(usage, 'cache_read_input_tokens'),
    cacheWrite: countAt(usage, 'cache_creation_input_tokens'),
  };
}

/** A message is told again with more: the larger figures count. */
export function withMessage(soFar: UsageSoFar, id: string, tokens: Tokens): UsageSoFar {
  const known = soFar.open.find((message) => message.id === id);
  const others = soFar.open.filter((message) => message.id !== id);
  const open = [
    ...others,
    { id, tokens: known === undefined ? tokens : larger(known.tokens, tokens) },
  ];
  const [oldest, ...rest] = open;
  if (open.length <= maxOpen || oldest === undefined) return { closed: soFar.closed, open };
  return { closed: addTokens(soFar.closed, oldest.tokens), open: rest };
}

export function usedSoFar({ closed, open }: UsageSoFar): Tokens | null {
  return open.reduce<Tokens | null>((sum, { tokens }) => addTokens(sum, tokens), closed);
}

function larger(a: Tokens, b: Tokens): Tokens {
  return {
    input: Math.max(a.input, b.input),
    output: Math.max(a.output, b.output),
    cacheRead: Math.max(a.cacheRead, b.cacheRead),
    cacheWrite: Math.max(a.cacheWrite, b.cacheWrite),
  };
}

export type ResultUsage = {
  readonly tokens: Tokens | null;
  readonly costUsd: number | null;
  readonly models: readonly ModelUsage[];
  /** Of the model that was used most. */
  readonly contextWindow: number | null;
};

/**
 * What the result says about this run alone. `total_cost_usd` and `modelUsage` are sums of the session, so they stand in only
 * where a program does not tell its runs apart; the sub-agents are part of both.
 */
export function resultUsage(result: Json, isResumed = false): ResultUsage {
  const ofRun = objectAt(result, 'model_usage_since_last_result');
  const isOfRun = Object.keys(ofRun).length > 0;
  const told = isOfRun ? ofRun : objectAt(result, 'modelUsage');
  // A run uses a handful of models; a list without end is nobody's.
  const entries = Object.entries(told).slice(0, maxModels);
  const models = entries.map(([name, model]): ModelUsage => ({
    model: name.slice(0, maxNameChars),
    tokens: modelTokens(model),
    costUsd: numberAt(model, 'costUSD'),
  }));
  const tokens = models.reduce<Tokens | null>((sum, each) => addTokens(sum, each.tokens), null);
  const windows = entries.map(([, model]) => numberAt(model, 'contextWindow') ?? 0);
  const contextWindow = Math.max(0, ...windows) || null;
  if (isResumed && !isOfRun) {
    return { tokens: usageOf(result), costUsd: null, models: [], contextWindow };
  }
  return {
    tokens: tokens ?? usageOf(result),
    costUsd: sumOfCosts(models) ?? numberAt(result, 'total_cost_usd'),
    models,
    contextWindow,
  };
}

const maxModels = 20;
const maxNameChars = 200;

/** Null as soon as one of them is unknown. */
function sumOfCosts(models: readonly ModelUsage[]): number | null {
  if (models.length === 0) return null;
  return models.reduce<number | null>(
    (sum, { costUsd }) => (sum === null || costUsd === null ? null : sum + costUsd),
    0,
  );
}

function usageOf(result: Json): Tokens | null {
  return isObject(result['usage']) ? messageTokens(result['usage']) : null;
}

function modelTokens(model: unknown): Tokens {
  return {
    input: countAt(model, 'inputTokens'),
    output: countAt(model, 'outputTokens'),
    cacheRead: countAt(model, 'cacheReadInputTokens'),
    cacheWrite: countAt(model, 'cacheCreationInputTokens'),
  };
}

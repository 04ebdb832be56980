import type { ModelStrategy } from '../config/section/agents.ts';
import {
  isTier,
  largerTier,
  nearestTier,
  tierNames,
  tierOf,
  type Tier,
  type Tiers,
} from './tier.ts';

/** What the choice is made from. Counters are those of the task that was claimed. */
export type ModelRequest = {
  readonly strategy: ModelStrategy;
  readonly tiers: Tiers;
  /** Whether tiers of the agent were configured: only then `auto` chooses among them. */
  readonly hasOwnTiers?: boolean;
  /** Configured for the agent, whatever the strategy says. */
  readonly pinned?: string | null;
  /** From 1 within the loop. */
  readonly iteration: number;
  readonly consecutiveFailures: number;
  /** Iterations of this session, and how many of them completed their loop. */
  readonly run: { readonly total: number; readonly successes: number };
  /** The `<next-model>` of the task's last iteration. */
  readonly hint?: string | null;
  /** The model of the task's last iteration. */
  readonly lastModel?: string | null;
  /** Finished tasks like this one, the most alike first. */
  readonly similar?: readonly SimilarTask[];
};

export type SimilarTask = {
  readonly id: string;
  readonly isDone: boolean;
  readonly difficulty: string | null;
  /** The model that completed it; null when none did or nobody knows. */
  readonly model: string | null;
};

export type ModelChoice = {
  /** Null: the agent's own choice. */
  readonly model: string | null;
  readonly tier: Tier | null;
  /** For people and for the loop status. */
  readonly reason: string;
};

export const ownChoice: ModelChoice = {
  model: null,
  tier: null,
  reason: "the agent's own choice",
};
const goodRate = 0.8;
const escalateAt = 2;

/** The model of the next iteration, by the first rule that applies: pinned, hinted, fixed, then the strategy's own. */
export function selectModel(request: ModelRequest): ModelChoice {
  const { strategy, tiers, pinned, hint, hasOwnTiers = false } = request;
  if (pinned) return { model: pinned, tier: tierOf(pinned, tiers), reason: 'configured' };
  // Nobody asked for a choice: whatever the user has set in the agent itself stays.
  if (strategy.name === 'auto' && strategy.model === undefined && !hasOwnTiers) return ownChoice;
  const hinted = hint ? allowedModel(hint, strategy, tiers) : null;
  if (hinted !== null) return named(hinted, tiers, 'hinted by previous iteration');
  if (strategy.model !== undefined) return named(strategy.model, tiers, 'configured');
  if (strategy.name === 'fixed') return ownChoice;
  const { tier: wanted, reason } = byStrategy(request);
  const tier = nearestTier(wanted, tiers);
  return tier === null ? ownChoice : { model: tiers[tier] ?? null, tier, reason };
}

type Wish = { readonly tier: Tier; readonly reason: string };

function byStrategy(request: ModelRequest): Wish {
  switch (request.strategy.name) {
    case 'auto':
    case 'fixed':
    case 'cost-optimized':
      return costOptimized(request);
    case 'escalate':
      return escalate(request);
    case 'plan-then-execute':
      return request.iteration === 1
        ? { tier: 'large', reason: 'plan-then-execute: planning phase' }
        : { tier: 'medium', reason: 'plan-then-execute: execution phase' };
  }
}

function costOptimized({ consecutiveFailures, run, similar = [], tiers }: ModelRequest): Wish {
  if (consecutiveFailures >= escalateAt) return escalated('large', consecutiveFailures);
  const known = similar.map((task) => learned(task, tiers)).find((wish) => wish !== null);
  if (known !== undefined) return known;
  if (consecutiveFailures === 0 && run.total > 0 && run.successes / run.total > goodRate) {
    const rate = `${run.successes} of ${run.total}`;
    return { tier: 'small', reason: `cost-optimized strategy: ${rate} iterations succeeded` };
  }
  return { tier: 'medium', reason: 'default, cost-optimized strategy' };
}

/** 0, 1, 2 and more failures: small, medium, large; never below what the task had last. */
function escalate({ consecutiveFailures, lastModel, tiers }: ModelRequest): Wish {
  const tier = tierNames[Math.min(consecutiveFailures, tierNames.length - 1)] ?? 'large';
  const kept = largerTier(tier, tierOf(lastModel ?? null, tiers));
  if (consecutiveFailures > 0) return escalated(kept, consecutiveFailures);
  return { tier: kept, reason: 'default, escalate strategy' };
}

function escalated(tier: Tier, failures: number): Wish {
  const plural = failures === 1 ? 'failure' : 'failures';
  return { tier, reason: `escalated after ${failures} consecutive ${plural}` };
}

const byDifficulty: Readonly<Record<string, Tier>> = {
  trivial: 'small',
  easy: 'small',
  moderate: 'medium',
  hard: 'large',
};

/** What a similar task teaches: the model that did it is enough; one that failed on it wants more. */
function learned({ id, isDone, difficulty, model }: SimilarTask, tiers: Tiers): Wish | null {
  const used = tierOf(model, tiers);
  if (isDone && used !== null) {
    const how = difficulty === null ? 'done' : `${difficulty}, done`;
    return { tier: used, reason: `like ${id}: ${how} by ${model ?? used}` };
  }
  const tier = byDifficulty[difficulty ?? ''];
  if (tier === undefined) return null;
  const wanted = isDone ? tier : largerTier('medium', tier);
  return {
    tier: wanted,
    reason: `like ${id}: ${difficulty ?? ''}${isDone ? '' : ', and it failed'}`,
  };
}

/** A hint counts when it names a tier or a model that is configured, or one that is allowed by name. */
function allowedModel(hint: string, strategy: ModelStrategy, tiers: Tiers): string | null {
  if (!strategy['allow-next-model']) return null;
  const model = isTier(hint) ? (tiers[hint] ?? null) : hint;
  if (model === null) return null;
  const { allowed } = strategy;
  if (allowed.length > 0) {
    const tier = tierOf(model, tiers);
    const names = [hint, model, ...(tier === null ? [] : [tier])];
    return names.some((name) => allowed.includes(name)) ? model : null;
  }
  return tierOf(model, tiers) !== null || model === strategy.model ? model : null;
}

/** A name from the configuration or a hint: a tier stands for its model. */
function named(name: string, tiers: Tiers, reason: string): ModelChoice {
  if (!isTier(name)) return { model: name, tier: tierOf(name, tiers), reason };
  const tier = nearestTier(name, tiers);
  return tier === null ? ownChoice : { model: tiers[tier] ?? null, tier, reason };
}

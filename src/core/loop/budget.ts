import { addTokens, totalTokens } from '../agent/outcome.ts';
import { effectiveMaxDuration } from '../config/limits.ts';
import { isUnpriced, nothingUsed, type PricedUsage } from '../price/price.ts';
import { knownCost, loopTokens, type Loop } from './loop.ts';

export type BudgetName = 'cost' | 'tokens' | 'duration';

export type BudgetUse = {
  readonly name: BudgetName;
  readonly used: number;
  readonly limit: number;
};

/** Of a budget, when people are warned. */
export const warnAtShare = 0.8;

/** What a run under way has used, which the loop does not know yet. */
type Running = Pick<PricedUsage, 'tokens' | 'costUsd'>;

/** Every budget that has a limit, with what is used of it. Disk is measured where the files are, not here. */
export function budgetUse(loop: Loop, running: Running = nothingUsed): readonly BudgetUse[] {
  const { 'max-cost-usd': cost, 'max-tokens': tokens } = loop.settings.budget;
  const spent = addTokens(loopTokens(loop), running.tokens);
  return [
    limited('cost', (knownCost(loop) ?? 0) + (running.costUsd ?? 0), cost),
    limited('tokens', spent === null ? 0 : totalTokens(spent), tokens),
    limited('duration', loop.activeMs, effectiveMaxDuration(loop.settings)),
  ].flat();
}

/** The first budget at its limit, in words; null while all have room. */
export function exceededBudget(loop: Loop, running: Running = nothingUsed): string | null {
  const over = budgetUse(loop, running).find(({ used, limit }) => used >= limit);
  return over === undefined ? null : describe(over);
}

/**
 * A budget that the next iteration would break, judged by what earlier ones cost on average; null when
 * it can be afforded. The first iteration always can.
 */
export function unaffordable(loop: Loop): string | null {
  const paid = loop.iterations.filter((iteration) => iteration.counted).length;
  if (paid === 0) return null;
  const short = budgetUse(loop).find(
    ({ name, used, limit }) => name !== 'duration' && used + used / paid > limit,
  );
  return short === undefined
    ? null
    : `${describe(short)} is used and the next iteration would exceed it`;
}

/** Budgets of which `share` (0..1) is used, in words: for the warning at 80 %. */
export function budgetsAbove(
  loop: Loop,
  share: number,
  running: Running = nothingUsed,
): readonly string[] {
  return budgetUse(loop, running)
    .filter(({ used, limit }) => used >= limit * share && used < limit)
    .map(describe);
}

/** A cost budget that cannot hold, because a price is missing; null when it can or there is none. */
export function unpricedBudget(loop: Loop, usage: PricedUsage): string | null {
  const { 'max-cost-usd': limit } = loop.settings.budget;
  if (limit === null || limit <= 0 || !isUnpriced(usage)) return null;
  const model = usage.models.find(({ costUsd }) => costUsd === null)?.model ?? null;
  const why =
    model === null
      ? 'the agent does not say which model it uses'
      : `the price of ${model} is not known; set \`prices."${model}"\``;
  return `max-cost-usd cannot stop this loop: ${why}`;
}

function limited(name: BudgetName, used: number, limit: number | null): readonly BudgetUse[] {
  return limit === null || limit <= 0 ? [] : [{ name, used, limit }];
}

function describe({ name, used, limit }: BudgetUse): string {
  switch (name) {
    case 'cost':
      return `cost budget: $${used.toFixed(limit < 1 ? 3 : 2)} of $${limit.toFixed(limit < 1 ? 3 : 2)}`;
    case 'tokens':
      return `token budget: ${used} of ${limit}`;
    case 'duration':
      return `time budget: ${Math.round(used / 1000)} s of ${Math.round(limit / 1000)} s`;
  }
}

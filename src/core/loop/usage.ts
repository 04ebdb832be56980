import { addTokens, type ModelUsage, type Tokens } from '../agent/outcome.ts';

/** What a model was used for. */
export type Purpose = 'work' | 'summary' | 'judge';

/** Use of one model for one purpose. */
export type PurposeUsage = {
  readonly purpose: Purpose;
  /** Null: the agent did not say. */
  readonly model: string | null;
  readonly tokens: Tokens;
  /** Null when any of it has no price. */
  readonly costUsd: number | null;
};

export function purposeUsage(
  purpose: Purpose,
  models: readonly ModelUsage[],
): readonly PurposeUsage[] {
  return models.map((each) => ({ purpose, ...each }));
}

/** Adds what belongs together; the order is that of first use. */
export function addUsage(
  all: readonly PurposeUsage[],
  more: readonly PurposeUsage[],
): readonly PurposeUsage[] {
  return more.reduce((sum, each) => addOne(sum, each), all);
}

function addOne(all: readonly PurposeUsage[], use: PurposeUsage): readonly PurposeUsage[] {
  const at = all.findIndex(({ purpose, model }) => purpose === use.purpose && model === use.model);
  const before = all[at];
  if (before === undefined) return [...all, use];
  const costUsd =
    before.costUsd === null || use.costUsd === null ? null : before.costUsd + use.costUsd;
  const tokens = addTokens(before.tokens, use.tokens) ?? use.tokens;
  return all.with(at, { ...before, tokens, costUsd });
}

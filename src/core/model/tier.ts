export const tierNames = ['small', 'medium', 'large'] as const;
export type Tier = (typeof tierNames)[number];

/** Which model stands for a tier; what is left out has none. */
export type Tiers = { readonly [K in Tier]?: string | undefined };

/** Tiers that agents bring themselves: only names their program understands whatever its version. */
const builtIn: Readonly<Record<string, Tiers>> = {
  claude: { small: 'haiku', medium: 'sonnet', large: 'opus' },
};

/** The configured tiers of an agent over those its kind brings. */
export function agentTiers(
  agent: string,
  configured: Readonly<Record<string, Tiers>>,
  kinds: Readonly<Record<string, { readonly kind?: string | undefined }>>,
): Tiers {
  const kind = kinds[agent]?.kind ?? agent;
  return { ...builtIn[kind], ...configured[agent] };
}

export function isTier(name: string): name is Tier {
  return tierNames.some((tier) => tier === name);
}

/** The tier of a model; null when it stands for none. */
export function tierOf(model: string | null, tiers: Tiers): Tier | null {
  return tierNames.find((tier) => model !== null && tiers[tier] === model) ?? null;
}

/** A tier without a model gives way to the next larger one that has one, else to the next smaller. */
export function nearestTier(wanted: Tier, tiers: Tiers): Tier | null {
  const at = tierNames.indexOf(wanted);
  const order = [...tierNames.slice(at), ...tierNames.slice(0, at).toReversed()];
  return order.find((tier) => tiers[tier] !== undefined) ?? null;
}

export function largerTier(a: Tier, b: Tier | null): Tier {
  return b !== null && tierNames.indexOf(b) > tierNames.indexOf(a) ? b : a;
}

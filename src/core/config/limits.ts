import { strategyMaximum } from '../strategy/registry.ts';
import type { Settings } from './schema.ts';
import type { Warning } from './place.ts';

const hour = 3_600_000;

/** Milliseconds a loop may take; null = no limit. Unattended loops have 4 hours unless told otherwise. */
export function effectiveMaxDuration(settings: Pick<Settings, 'budget' | 'mode'>): number | null {
  const configured = settings.budget['max-duration'];
  if (configured !== null) return configured === 0 ? null : configured;
  return settings.mode.name === 'unattended' ? 4 * hour : null;
}

/** Milliseconds one iteration may take with an agent of this kind. */
export function effectiveIterationTimeout(
  settings: Pick<Settings, 'limits'>,
  kind: 'cli' | 'native',
): number {
  const configured = settings.limits['iteration-timeout'];
  if (configured !== null && configured !== 0) return configured;
  return kind === 'native' ? hour / 12 : hour / 2;
}

/** Says when the iteration cap ends a loop before its strategy would. */
export function capWarnings(settings: Pick<Settings, 'limits' | 'strategy'>): readonly Warning[] {
  const cap = settings.limits['max-iterations'];
  const { module: _module, ...strategy } = settings.strategy;
  const wanted = strategy.name === 'custom' ? null : strategyMaximum(strategy);
  if (cap === 0 || wanted === null || cap >= wanted) return [];
  const message = `limits.max-iterations is ${cap}, below the ${wanted} iterations of strategy \`${strategy.name}\``;
  return [{ code: 'config.cap_below_strategy', message }];
}

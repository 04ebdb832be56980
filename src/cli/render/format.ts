/** How values are written for people. Pure: times come in as milliseconds. */
import type { Tokens } from '../../core/agent/outcome.ts';
import { totalTokens } from '../../core/agent/outcome.ts';
import type { TestCounts } from '../../core/verdict/report.ts';

/** `240ms`, `3.2s`, `1m 05s`, `2h 07m`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))}ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${pad(seconds % 60)}s`;
  return `${Math.floor(minutes / 60)}h ${pad(minutes % 60)}m`;
}

/** Whole seconds, for a line that is rewritten every second. */
export function formatElapsed(ms: number): string {
  return ms < 60_000 ? `${Math.floor(Math.max(0, ms) / 1000)}s` : formatDuration(ms);
}

/** `$0.42`; three digits below ten cents. */
export function formatCost(usd: number): string {
  return `$${usd.toFixed(usd > 0 && usd < 0.1 ? 3 : 2)}`;
}

/** `$0.42`, `at least $0.42` when a part has no price, `cost unknown` when none has; null when nothing was used. */
export function formatSpending(knownUsd: number | null, isPartlyUnpriced: boolean): string | null {
  if (!isPartlyUnpriced) return knownUsd === null ? null : formatCost(knownUsd);
  return knownUsd === null || knownUsd === 0 ? 'cost unknown' : `at least ${formatCost(knownUsd)}`;
}

/** `12.3k tokens`. */
export function formatTokens(tokens: Tokens): string {
  const total = totalTokens(tokens);
  if (total < 1000) return `${total} tokens`;
  if (total < 1_000_000) return `${(total / 1000).toFixed(1)}k tokens`;
  return `${(total / 1_000_000).toFixed(1)}M tokens`;
}

/** `12 of 14 tests pass`, with what was skipped; packages where the runner does not name their tests. */
export function formatTests(tests: TestCounts): string {
  const { total, passed, failed, skipped } = tests;
  const ran = total - skipped;
  const left = skipped === 0 ? '' : `, ${skipped} skipped`;
  if (failed === 0)
    return `${formatUnits(tests, passed)} ${passed === 1 ? 'passes' : 'pass'}${left}`;
  return `${passed} of ${formatUnits(tests, ran)} pass${left}`;
}

/** `14 tests`, `2 packages`, `4 tests and packages`. */
export function formatUnits({ total, packages = 0 }: TestCounts, count: number): string {
  if (packages === 0) return plural(count, 'test');
  return packages === total ? plural(count, 'package') : `${count} tests and packages`;
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** `2026-11-15 21:04:07`, in UTC. */
export function formatTime(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}

/** `21:04:07`, in UTC. */
export function formatClock(ms: number): string {
  return new Date(ms).toISOString().slice(11, 19);
}

/** `3m ago`. */
export function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds}s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h ago`;
  return `${Math.floor(seconds / 86_400)}d ago`;
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}

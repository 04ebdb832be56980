import type { Settings } from '../core/config/schema.ts';
import type { Loop } from '../core/loop/loop.ts';
import type { Sandbox } from '../ports/process.ts';
import type { Engine } from './engine.ts';

/**
 * The walls around everything that runs code of a loop: its agents, its checks and its stop scripts. Null when there are none.
 * Hooks are the user's own and stay outside.
 */
export function loopSandbox(
  engine: Engine,
  loop: Loop,
  own: readonly string[] = [],
): Sandbox | null {
  return sandboxOf(engine, loop.settings, own);
}

/** The same for whoever has settings and no loop. */
export function sandboxOf(
  engine: Engine,
  settings: Settings,
  own: readonly string[] = [],
): Sandbox | null {
  const { level, network, writable, hidden } = settings.sandbox;
  if (level !== 'bubblewrap') return null;
  // The store, other loops' work and the daemon's token are nobody's business inside.
  const veiled = [engine.stateDir];
  return { network, writable: [...writable, ...own], hidden, readable: [], veiled };
}

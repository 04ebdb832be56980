import type { LoopEvent } from './event.ts';
import { looksAtFiles, type Loop } from './loop.ts';

/** Losing these in a crash loses nothing that was acted upon: they are found again, or done again at no cost. */
const always: ReadonlySet<LoopEvent['type']> = new Set([
  'iteration.started',
  'model.chosen',
  'prompt.built',
  'hooks.ran',
  'protected.restored',
  'snapshot.taken',
  'verification.ended',
]);

/** Strategies that answer from the history alone, at once. */
const immediate: ReadonlySet<string> = new Set(['until-pass', 'fixed', 'hybrid', 'ralph']);

/**
 * Whether a fact may wait for the next durable one. The number of an iteration is stored with `agent.started`, before the agent
 * may act, or earlier if there are hooks. The end of an agent and of an iteration wait only where nothing but
 * arithmetic stands between them and the decision that stores them.
 */
export function isDeferrable(loop: Loop, event: LoopEvent): boolean {
  if (event.type === 'agent.ended') return !looksAtFiles(loop);
  if (event.type === 'iteration.ended') return !event.counted ? false : isJudgedAtOnce(loop);
  return always.has(event.type);
}

function isJudgedAtOnce({ settings }: Loop): boolean {
  return (
    settings.hooks['post-iteration'].length === 0 &&
    settings.gates.length === 0 &&
    settings.budget['max-disk'] === null &&
    immediate.has(settings.strategy.name)
  );
}

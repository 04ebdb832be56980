import { providerOf } from '../core/agent/provider.ts';
import { signInNotice, signInRest } from '../core/agent/sign-in.ts';
import { isLoopwrightError } from '../core/error.ts';
import type { LoopEvent } from '../core/loop/event.ts';
import type { Loop } from '../core/loop/loop.ts';
import type { Engine } from './engine.ts';
import type { LoopOwner } from './loop-owner.ts';
import { tellStrategy } from './tell-strategy.ts';

/** The first who could not sign in closes the provider for this engine, and says once what to do. */
export function shutProvider({ slots, publish }: Engine, { settings }: Loop, why: string): void {
  const provider = providerOf(settings);
  if (slots.isShut(provider)) return;
  slots.tell({ type: 'shut', provider });
  const text = `${signInNotice(settings, why)}; until then no loop of it starts`;
  publish({ kind: 'notice', text });
}

/**
 * The loop rests until somebody has signed in. What its iteration has done so far stays; it counts for nothing: it is no attempt, no
 * failure and nothing to remember.
 */
export async function restForSignIn(
  engine: Engine,
  owner: LoopOwner,
  evidence: string | null = null,
  before: readonly LoopEvent[] = [],
): Promise<void> {
  const { iteration, loop, iterationMs: durationMs } = owner;
  const rest = signInRest(loop.settings, evidence);
  await owner.record(
    ...before,
    {
      type: 'iteration.ended',
      number: iteration.number,
      status: 'interrupted',
      outcome: 'interrupted',
      counted: false,
      durationMs,
      progress: null,
      why: rest.text,
    },
    { type: 'loop.rested', ...rest },
  );
  await tellStrategy(engine, owner.loop);
}

/** A slot was refused because nobody is signed in with the provider. */
export function isShut(error: unknown): boolean {
  return isLoopwrightError(error) && error.code === 'provider.shut';
}

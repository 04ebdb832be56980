import type { Loop } from '../core/loop/loop.ts';
import { lastIteration } from '../core/loop/loop.ts';
import { judgeCompletion, type Completion } from '../core/verdict/completion.ts';
import type { StopResult } from '../core/verdict/stop-condition.ts';
import type { Engine } from './engine.ts';
import { lookAtStops } from './look-at-stops.ts';

export type CompletionLook = {
  readonly completion: Completion;
  readonly stops: readonly StopResult[];
};

/** Whether the last iteration completes the loop, and every stop condition as it is now. */
export async function lookAtCompletion(
  engine: Engine,
  loop: Loop,
  signal: AbortSignal,
): Promise<CompletionLook> {
  const stops = await lookAtStops(engine, loop, loop.settings.stop, signal);
  return { completion: completionWith(loop, stops), stops };
}

/** Whether the last iteration completes the loop; stop conditions are looked at only if they could make it so. */
export async function isCompleting(
  engine: Engine,
  loop: Loop,
  signal: AbortSignal,
): Promise<boolean> {
  const without = completionWith(loop, []);
  if (without.complete || without.missing !== 'claim') return without.complete;
  const success = loop.settings.stop.filter(({ kind }) => kind === 'success');
  return completionWith(loop, await lookAtStops(engine, loop, success, signal)).complete;
}

function completionWith(loop: Loop, stops: readonly StopResult[]): Completion {
  const iteration = lastIteration(loop);
  return judgeCompletion({
    passed: iteration?.report?.overall.passed ?? null,
    baseline: loop.baseline?.state ?? 'unknown',
    claimed: iteration?.agent?.claim === 'done',
    successCondition: stops.some((stop) => stop.met && stop.kind === 'success'),
    differsFromBase: iteration?.differsFromBase ?? false,
    requireClaim: loop.settings.verify['require-claim'],
    requireDiff: loop.settings.verify['require-diff'],
  });
}

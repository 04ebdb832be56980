import type { Loop } from '../core/loop/loop.ts';
import { lastIteration, looksAtFiles } from '../core/loop/loop.ts';
import { passesLeft } from '../core/loop/passes.ts';
import { judgeCompletion, type Completion } from '../core/verdict/completion.ts';
import { violationsOf } from '../core/verdict/integrity.ts';
import type { StopResult } from '../core/verdict/stop-condition.ts';
import type { Engine } from './engine.ts';
import type { LoopOwner } from './loop-owner.ts';
import { putBackWritten } from './put-back.ts';
import type { FilesBeside } from './stop-looks.ts';

export type CompletionLook = {
  readonly completion: Completion;
  readonly stops: readonly StopResult[];
};

/** Whether the last iteration completes the loop, and every stop condition. `loop`: with the end of the iteration in it. */
export async function lookAtCompletion(
  engine: Engine,
  owner: LoopOwner,
  loop: Loop,
): Promise<CompletionLook> {
  const facts = { activeMs: owner.activeMs, isAskedToStop: await owner.isAskedToStop() };
  const files = looksAtFiles(loop) ? filesOf(engine, owner) : null;
  const stops = await owner.stops.resultsOf(engine, loop, { facts, files }, owner.cut);
  return { completion: completionWith(loop, stops), stops };
}

function filesOf(engine: Engine, owner: LoopOwner): FilesBeside {
  return {
    // What the checks wrote is put back first: otherwise the scripts would be blamed for it.
    before: async () =>
      (await putBackWritten(engine, owner, null)) ?? owner.workspace.snapshot(owner.closing),
    after: (before) => owner.lookAfter('scripts of stop conditions', before),
  };
}

function completionWith(loop: Loop, stops: readonly StopResult[]): Completion {
  const iteration = lastIteration(loop);
  return judgeCompletion({
    passed: iteration?.report?.overall.passed ?? null,
    baseline: loop.baseline?.state ?? 'unknown',
    claimed: iteration?.agent?.claim === 'done',
    successCondition: stops.some((stop) => stop.met && stop.kind === 'success'),
    unstored: iteration?.unstored ?? [],
    differsFromBase: iteration?.differsFromBase ?? false,
    requireClaim: loop.settings.verify['require-claim'],
    requireDiff: loop.settings.verify['require-diff'],
    review: passesLeft(loop),
    weakened: iteration?.report ? violationsOf(iteration.report).length > 0 : false,
  });
}

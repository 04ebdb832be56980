import type { IterationCompleteEvent, LoopDecision } from './strategy.ts';

/**
 * What every built-in strategy but `manual` says of a passing verification; null when there was none.
 * `metadata.untilComplete` tells the engine that the stop stands only if the pass completes the loop: one that
 * still lacks a diff or the agent's claim is no reason to give up before the strategy's own maximum.
 */
export function stopOnPass(
  event: IterationCompleteEvent,
  maximum: number = Number.POSITIVE_INFINITY,
): LoopDecision | null {
  if (event.verificationPassed !== true) return null;
  const untilComplete = event.totalIterations < maximum;
  return stop('Verification passed', untilComplete ? { untilComplete } : undefined);
}

export function goOn(reason: string, metadata?: LoopDecision['metadata']): LoopDecision {
  return metadata === undefined ? { continue: true, reason } : { continue: true, reason, metadata };
}

export function stop(reason: string, metadata?: LoopDecision['metadata']): LoopDecision {
  return metadata === undefined
    ? { continue: false, reason }
    : { continue: false, reason, metadata };
}

import { goOn } from './decision.ts';
import type { LoopStrategy } from './strategy.ts';

/** Leaves each decision to a person: `metadata.ask` tells the engine to wait for an approval first. */
export function createManual(): LoopStrategy {
  return {
    name: 'manual',
    onIterationComplete: (event) =>
      goOn(`Waiting for a decision on iteration ${event.iteration}`, { ask: true }),
  };
}

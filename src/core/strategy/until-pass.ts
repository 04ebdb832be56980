import { goOn, stopOnPass } from './decision.ts';
import type { LoopStrategy } from './strategy.ts';

/** Goes on until a verification passes; every other ending comes from caps and stop conditions. */
export function createUntilPass(): LoopStrategy {
  return {
    name: 'until-pass',
    onIterationComplete: (event) =>
      stopOnPass(event) ?? goOn(`iteration ${event.iteration} did not pass`),
  };
}

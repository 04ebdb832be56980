import { goOn, stop, stopOnPass } from './decision.ts';
import type { LoopStrategy } from './strategy.ts';

export type FixedOptions = { readonly iterations: number };

/** Runs `iterations` counted iterations, fewer when one passes. */
export function createFixed({ iterations }: FixedOptions): LoopStrategy {
  return {
    name: 'fixed',
    onIterationComplete(event) {
      const passed = stopOnPass(event, iterations);
      if (passed !== null) return passed;
      if (event.totalIterations >= iterations) {
        return stop(`Fixed number of iterations (${iterations}) reached`);
      }
      return goOn(`Iteration ${event.totalIterations} of ${iterations} did not pass, going on`);
    },
  };
}

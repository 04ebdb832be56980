import { goOn, stop, stopOnPass } from './decision.ts';
import { leastSimilarity } from './similarity.ts';
import type { LoopStrategy } from './strategy.ts';

export type RalphOptions = {
  readonly min: number;
  readonly max: number;
  /** Iterations compared with each other, the current one included. */
  readonly window: number;
  readonly threshold: number;
};

/** Runs between `min` and `max` iterations and stops once the last `window` of them are alike. */
export function createRalph({ min, max, window, threshold }: RalphOptions): LoopStrategy {
  return {
    name: 'ralph',
    onIterationComplete(event) {
      const passed = stopOnPass(event, max);
      if (passed !== null) return passed;
      const done = event.totalIterations;
      if (done < min) return goOn(`Minimum of ${min} iterations not reached (${done})`);
      if (done >= max) return stop(`Maximum of ${max} iterations reached`);
      const similarity = leastSimilarity([...event.previousIterations, event.current], window);
      if (similarity === null) return goOn(`Fewer than ${window} iterations to compare`);
      if (similarity >= threshold) {
        return stop(`Convergence: the last ${window} iterations are alike (${round(similarity)})`, {
          converged: true,
          similarity,
        });
      }
      return goOn(`No convergence yet (similarity ${round(similarity)})`, { similarity });
    },
  };
}

function round(similarity: number): string {
  return similarity.toFixed(2);
}

import { goOn, stop, stopOnPass } from './decision.ts';
import { bestLevelOf, levelOf, roseBy } from './level.ts';
import type { IterationCompleteEvent, LoopStrategy } from './strategy.ts';

export type HybridOptions = {
  readonly base: number;
  readonly bonus: number;
  /** How far the level must rise over the best so far to earn a bonus iteration. */
  readonly threshold: number;
};

/** Runs `base` iterations, then at most `bonus` more, each earned by a rise of the level. */
export function createHybrid({ base, bonus, threshold }: HybridOptions): LoopStrategy {
  return {
    name: 'hybrid',
    onIterationComplete(event) {
      const passed = stopOnPass(event, base + bonus);
      if (passed !== null) return passed;
      if (event.totalIterations < base) {
        return goOn(`Base iteration ${event.totalIterations} of ${base} did not pass, going on`);
      }
      const bonusUsed = event.totalIterations - base;
      if (bonusUsed >= bonus) return stop(`All bonus iterations (${bonus}) used`, { bonusUsed });
      if (!earnsBonus(event, threshold)) {
        return stop('No progress, no bonus iteration', { bonusUsed });
      }
      return goOn(`Progress, bonus iteration ${bonusUsed + 1} of ${bonus}`, {
        bonusUsed: bonusUsed + 1,
      });
    },
  };
}

function earnsBonus(event: IterationCompleteEvent, threshold: number): boolean {
  const level = levelOf(event.current);
  const best = bestLevelOf(event.previousIterations);
  if (level === null || best === null) return agentKeptGoing(event);
  return roseBy(best, level, threshold);
}

/** The rule where levels cannot be compared: progress unless the agent went from success to failure. */
function agentKeptGoing(event: IterationCompleteEvent): boolean {
  return event.agentSuccess || event.previousIterations.at(-1)?.agentSuccess !== true;
}

import { answerFromLoop, type StopFacts } from '../core/loop/stop-look.ts';
import { lastIteration, type Loop } from '../core/loop/loop.ts';
import {
  evaluateStop,
  stopTests,
  type Looked,
  type StopResult,
} from '../core/verdict/stop-condition.ts';
import type { Engine } from './engine.ts';
import { lookAtStop } from './look-at-stops.ts';

/**
 * The stop conditions of the iteration a loop is at. What the loop says by itself is asked anew each time; files, output and
 * scripts are looked at once for each iteration, side by side, so that everything about it is decided from the same facts.
 */
export class StopLooks {
  #seen: { readonly number: number; readonly looks: readonly Promise<Looked | null>[] } | null =
    null;

  /** `loop`: with the end of the iteration in it. */
  async resultsOf(
    engine: Engine,
    loop: Loop,
    facts: StopFacts,
    signal: AbortSignal,
  ): Promise<readonly StopResult[]> {
    const { stop } = loop.settings;
    if (stop.length === 0) return [];
    const number = lastIteration(loop)?.number ?? 0;
    const tests = stopTests(stop);
    if (this.#seen?.number !== number) {
      const looks = tests.map(async (test, index) => {
        const isKnown = answerFromLoop(loop, test, facts) !== null;
        return isKnown ? null : lookAtStop(engine, loop, { test, place: index + 1 }, signal);
      });
      this.#seen = { number, looks };
    }
    const seen = await Promise.all(this.#seen.looks);
    const looked = new Map(tests.map((test, index) => [test, seen[index] ?? null]));
    return stop.map((condition) =>
      evaluateStop(condition, (test) => {
        const answer = answerFromLoop(loop, test, facts);
        return answer === null ? (looked.get(test) ?? { met: null }) : { met: answer };
      }),
    );
  }
}

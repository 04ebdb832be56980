import type { StopTest } from '../core/config/section/stop.ts';
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

/** The files that scripts of stop conditions run beside: what a script writes there is not the agent's work. */
export type FilesBeside = {
  /** A snapshot, taken before the first script runs. */
  before(): Promise<string>;
  /** The scripts that ran since that snapshot have ended. */
  after(before: string): void;
};

/**
 * The stop conditions of the iteration a loop is at. What the loop says by itself is asked anew each time; files, output and
 * scripts are looked at once for each iteration, side by side, so that everything about it is decided from the same facts.
 */
export class StopLooks {
  #seen: { readonly number: number; readonly looks: Promise<readonly (Looked | null)[]> } | null =
    null;

  /** `loop`: with the end of the iteration in it. `files`: null when the loop does not look at its files. */
  async resultsOf(
    engine: Engine,
    loop: Loop,
    { facts, files }: { readonly facts: StopFacts; readonly files: FilesBeside | null },
    signal: AbortSignal,
  ): Promise<readonly StopResult[]> {
    const { stop } = loop.settings;
    if (stop.length === 0) return [];
    const number = lastIteration(loop)?.number ?? 0;
    const tests = stopTests(stop);
    if (this.#seen?.number !== number) {
      const looks = lookAtAll(engine, loop, { tests, facts, files }, signal);
      this.#seen = { number, looks };
    }
    const seen = await this.#seen.looks;
    const looked = new Map(tests.map((test, index) => [test, seen[index] ?? null]));
    return stop.map((condition) =>
      evaluateStop(condition, (test) => {
        const answer = answerFromLoop(loop, test, facts);
        return answer === null ? (looked.get(test) ?? { met: null }) : { met: answer };
      }),
    );
  }
}

type Wish = {
  readonly tests: readonly StopTest[];
  readonly facts: StopFacts;
  readonly files: FilesBeside | null;
};

async function lookAtAll(
  engine: Engine,
  loop: Loop,
  { tests, facts, files }: Wish,
  signal: AbortSignal,
): Promise<readonly (Looked | null)[]> {
  const hasScript = tests.some(({ on }) => on === 'script');
  const before = hasScript && files !== null ? await files.before() : null;
  const looked = await Promise.all(
    tests.map(async (test, index) => {
      if (answerFromLoop(loop, test, facts) !== null) return null;
      return lookAtStop(engine, loop, { test, place: index + 1 }, signal);
    }),
  );
  if (before !== null) files?.after(before);
  return looked;
}
